"""A filter over a Dask DataFrame, and the rows of another one whose key is in it: python examples/dask_join.py

Two workers in processes of their own: keys are counted where they are, each partition fills a filter, filters are united by
eights, and the result goes to all partitions of the other table. All of that is pickle.
"""

import copy

import dask
import dask.dataframe
import pandas
import tepal
from distributed import Client, LocalCluster


@dask.delayed
def count(part):
    counter = tepal.KeyCounter("int64")
    counter.update(part["account"])
    return counter


@dask.delayed
def fill(part, counter):
    # What is in a partition is never more than what was counted in all.
    made = tepal.BloomFilter(counter.capacity, 0.01, key_domain="int64")
    made.update(part["account"])
    return made


@dask.delayed
def unite(parts):
    first, *others = parts
    # Dask may give the same object to another task: it is copied, and never changed.
    united = copy.copy(first)
    for part in others:
        united |= part
    return united


def in_eights(parts):
    while len(parts) > 1:
        parts = [unite(parts[i : i + 8]) for i in range(0, len(parts), 8)]
    return parts[0]


def build(table):
    """One filter of all accounts of a table."""
    parts = table[["account"]].to_delayed()
    counter = in_eights([count(part) for part in parts])
    return in_eights([fill(part, counter) for part in parts])


def semi_join(table, asked):
    """The rows whose account is perhaps in the filter."""
    return table.map_partitions(lambda part, asked: part[asked.contains_many(part["account"])], asked, meta=table._meta)


def main():
    accounts = pandas.DataFrame({"account": range(0, 100_000, 2)})
    payments = pandas.DataFrame({"account": range(100_000), "amount": 1.0})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        wanted = dask.dataframe.from_pandas(accounts, npartitions=10)
        built = build(wanted).compute()
        passed = semi_join(dask.dataframe.from_pandas(payments, npartitions=6), built).compute()
    here = tepal.BloomFilter(built.capacity, 0.01, key_domain="int64")
    here.update(range(0, 100_000, 2))
    assert built.to_bytes() == here.to_bytes(), "it is the filter that one machine builds"
    assert set(accounts["account"]) <= set(passed["account"]), "nobody is missed"
    wrong = (len(passed) - 50_000) / 50_000
    assert wrong < 0.013, wrong
    print(f"{built}\n{len(passed):,} of {len(payments):,} payments pass; of the non-members {100 * wrong:.2f} %")


if __name__ == "__main__":
    main()
