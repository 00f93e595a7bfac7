"""A Bloom filter is used as a set is, where that means something."""

import copy
import re

import pytest
import tepal


def words(n, start=0):
    return [f"word {i}" for i in range(start, start + n)]


def test_add_says_what_is_new():
    seen = tepal.BloomFilter(1000)
    assert seen.add("apple") is True
    assert seen.add("apple") is False
    assert "apple" in seen and "banana" not in seen


@pytest.mark.parametrize("layout", [None, "line", "double", "split-block", "scattered"])
@pytest.mark.parametrize("domain", ["bytes", "int64"])
def test_no_key_is_lost_and_few_others_get_in(layout, domain):
    seen = tepal.BloomFilter(20_000, 0.01, layout=layout, key_domain=domain)
    seen.update(range(20_000))
    assert all(i in seen for i in range(20_000))
    others = range(1_000_000, 1_100_000)
    wrong = sum(seen.contains_many(list(others)))
    assert wrong == sum(i in seen for i in others)
    assert 300 < wrong < 1_500
    assert abs(wrong / 100_000 - seen.false_positive_rate) < 0.003


def test_union_and_intersection_are_those_of_sets():
    a, b = tepal.BloomFilter(1000), tepal.BloomFilter(1000)
    a.update(words(100)), b.update(words(100, 50))
    both = a | b
    assert type(both) is tepal.BloomFilter
    assert all(word in both for word in words(150)) and "word 149" not in a
    assert both == a.union(b) == b | a
    common = a & b
    assert common == a.intersection(b) and all(word in common for word in words(50, 50))
    assert common <= a <= both and both >= b and a < both and not a < a and a <= a
    assert a.issubset(both) and both.issuperset(a) and not both.issubset(a)
    kept = a
    a |= b
    assert a is kept and a == both
    a &= b
    assert a is kept and a == b & both
    c = tepal.BloomFilter(1000)
    c.update(b, words(10))
    assert c == b | c and "word 3" in c
    assert a.union() == a and a.union(b, c) == c


def test_a_filter_is_itself_in_both_places():
    a = tepal.BloomFilter(1000)
    a.update(words(100))
    before = a.copy()
    a |= a
    a &= a
    a.update(a)
    assert a == a == before and a <= a


def test_copies_are_of_their_own():
    a = tepal.BloomFilter(1000, name="a")
    for copied in (a.copy(), copy.copy(a), copy.deepcopy(a)):
        assert copied == a and copied is not a and copied.name == "a"
        copied.add("apple")
        assert copied != a and "apple" not in a


def test_clear_forgets():
    seen = tepal.BloomFilter(1000)
    seen.update(words(1000))
    seen.clear()
    assert seen == tepal.BloomFilter(1000) and seen.estimated_len() == 0 and seen.keys_inserted == 0


def test_equal_is_bits_and_hash():
    assert tepal.BloomFilter(1000) != tepal.BloomFilter(1000, seed=7)
    assert tepal.BloomFilter(1000) != tepal.BloomFilter(1001, 0.001)
    assert tepal.BloomFilter(1000) == tepal.BloomFilter(1000, name="another name")
    assert tepal.BloomFilter(1000) != {"apple"} and tepal.BloomFilter(1000) != None  # noqa: E711
    with pytest.raises(TypeError):
        hash(tepal.BloomFilter(1000))
    with pytest.raises(TypeError):
        tepal.BloomFilter(1000) | ["apple"]
    with pytest.raises(TypeError):
        tepal.BloomFilter(1000) <= {"apple"}


def test_numbers_of_a_filter():
    seen = tepal.BloomFilter(1000, 0.001, name="seen", layout="scattered", seed=7, over_capacity="warn")
    seen.update(words(500))
    assert (seen.capacity, seen.promised_false_positive_rate, seen.name) == (1000, 0.001, "seen")
    assert (seen.over_capacity, seen.key_domain, seen.format, seen.keys_inserted) == ("warn", "bytes", "tepal", 500)
    assert abs(seen.estimated_len() - 500) < 25 and 0 < seen.false_positive_rate < 0.001
    assert seen.size_in_bytes * 8 >= seen.bit_len > 14_000 and 8 <= seen.num_hashes <= 11
    assert 0.2 < seen.fill_ratio < 0.4 and not seen.is_over_capacity and not seen.is_full
    info = seen.info()
    assert info["fill_ratio"] == seen.fill_ratio and info["bit_len"] == seen.bit_len
    assert info["seed"] == "0x0000000000000007" and info["layout"] == "scattered"
    assert "500 keys of 1,000" in repr(seen) and "'seen'" in repr(seen)


def test_a_union_counts_no_key_twice():
    a, b = tepal.BloomFilter(2000), tepal.BloomFilter(2000)
    a.update(words(1000))
    b.update(words(1000))
    for united in (a | b, a | a, a.copy()):
        assert united.estimated_len() == a.estimated_len()
    assert (a | b).keys_inserted == 2000 and re.match(r".*about (9|1,0)[0-9]+ keys of 2,000", repr(a | b))
    before = a.keys_inserted, a.to_bytes()
    a |= a
    a.update(a)
    assert (a.keys_inserted, a.to_bytes()) == before and (a | a).keys_inserted == 1000
    copies = tepal.QuotientFilter(2000)
    copies.add("apple")
    copies |= copies
    assert copies.count("apple") == 2 == len(copies) == copies.keys_inserted and copies.estimated_len() < 1.1


def test_what_happens_past_capacity_is_chosen():
    refuse = tepal.BloomFilter(100)
    with pytest.raises(OverflowError, match=r"planned for 100 keys") as raised:
        refuse.update(words(1000))
    assert isinstance(raised.value, tepal.CapacityError)
    assert refuse.is_full and refuse.false_positive_rate <= 0.0101
    refuse.over_capacity = "warn"
    refuse.update(words(1000))
    assert all(word in refuse for word in words(1000)) and refuse.is_over_capacity
    with pytest.raises(ValueError, match="refuse, warn, ignore"):
        refuse.over_capacity = "perhaps"


def test_the_keys_before_a_refused_one_are_in_and_counted():
    for keys in (words(1000), iter(words(1000)), __import__("pyarrow").array(words(1000))):
        full = tepal.BloomFilter(100)
        with pytest.raises(tepal.CapacityError) as raised:
            full.update(keys)
        said = int(str(raised.value).split("the first ")[1].split(" ")[0])
        assert 90 < said < 200
        assert all(full.contains_many(words(said)))


def test_shrinking():
    seen = tepal.BloomFilter(100_000)
    seen.update(words(1000))
    before = seen.size_in_bytes
    factor = seen.shrink_to(0.01)
    assert factor > 1 and seen.size_in_bytes <= before / factor * 1.01
    assert all(word in seen for word in words(1000)) and seen.false_positive_rate <= 0.01


def test_the_empty_answers():
    seen = tepal.BloomFilter(1)
    assert seen.update([]) is None and seen.update() is None and seen.contains_many([]) == []
    assert seen.contains_many(()) == [] and seen.contains_many(set()) == []
    assert seen.add("") is True and "" in seen and b"" in seen
