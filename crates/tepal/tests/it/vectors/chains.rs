//! `chains.json`: growing chains, and refused files.

use tepal::{AnyFilter, Kind, file::Format};
use xxhash_rust::xxh3::xxh3_64;

use super::of_kind::{are_refused, can_be, write};
use super::{bytes, number, open_file, recipe, small, text, vectors};

#[test]
fn growing_chains_are_read_and_written_again() {
    let file = vectors("chains.json");
    let chains = file["chains"].as_array().unwrap();
    assert!(chains.len() >= 6);
    let mut whole = 0;
    for case in chains {
        let name = text(case, "name");
        if !can_be(case) {
            continue;
        }
        let Some(hex) = case["file"].as_str() else { continue };
        whole += 1;
        let file = bytes(hex);
        assert_eq!(xxh3_64(&file), number(&case["file_xxh3"]), "{name}");
        let opened = open_file(case, &file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((opened.format(), opened.filter().kind()), (Format::Tepal, Kind::Scalable), "{name}");
        assert_eq!(write(case, &opened), file, "{name}");
        let facts = opened.facts().unwrap();
        assert_eq!(facts.expansion, Some(small(case, "expansion")), "{name}");
        assert_eq!(
            facts.promised_false_positive_rate,
            case["false_positive_rate"].as_f64().unwrap(),
            "{name}"
        );
        assert_eq!(
            (facts.scheme.to_string().as_str(), facts.recipe),
            (text(case, "scheme"), recipe(case)),
            "{name}"
        );
        assert_eq!(facts.seed, case.get("seed").map(number), "{name}");
        let AnyFilter::Scalable(chain) = opened.filter() else { panic!("{name}") };
        let links = case["links"].as_array().unwrap();
        assert_eq!(chain.links().len(), links.len(), "{name}");
        for (link, expected) in chain.links().iter().zip(links) {
            assert_eq!(link.layout().name(), text(expected, "layout"), "{name}");
            assert_eq!(link.num_hashes(), small(expected, "num_hashes"), "{name}");
            assert_eq!(
                [link.bit_len(), link.capacity(), link.keys_inserted().unwrap(), link.set_bits()],
                ["bit_len", "capacity", "keys_inserted", "set_bits"].map(|field| number(&expected[field])),
                "{name}"
            );
            let rate = expected["false_positive_rate"].as_f64().unwrap();
            assert_eq!(link.promised_false_positive_rate(), rate, "{name}");
        }
        for probe in case["probes"].as_array().unwrap() {
            let (key, answer) = (text(probe, "key"), probe["answer"].as_bool().unwrap());
            assert_eq!(opened.contains(key), answer, "{name}: {key}");
        }
    }
    assert!(whole >= 4, "{whole}");
}

/// The library fills the first link in the same way: the same bits, if both know the same keys.
#[test]
fn a_chain_takes_the_next_key_where_the_reference_would() {
    let file = vectors("chains.json");
    let case = file["chains"].as_array().unwrap().iter().find(|case| text(case, "name") == "plain").unwrap();
    let mut again = open_file(case, &bytes(text(case, "file"))).unwrap();
    let whole = again.to_bytes().unwrap();
    again.clear().unwrap();
    assert_eq!(again.facts().unwrap().parts.len(), 1);
    let keys = number(&case["keys"]);
    for i in 0..keys {
        again.insert(format!("key {i}").as_str()).unwrap();
    }
    let (AnyFilter::Scalable(grown), opened) = (again.filter(), open_file(case, &whole).unwrap()) else {
        panic!("no chain")
    };
    let AnyFilter::Scalable(first) = opened.filter() else { panic!("no chain") };
    assert!(grown.links()[0] == first.links()[0]);
    assert_eq!(grown.links()[0].keys_inserted(), first.links()[0].keys_inserted());
    assert_eq!(grown.links()[1].capacity(), first.links()[1].capacity());
}

#[test]
fn refused_chains_are_refused_at_their_step() {
    are_refused(&vectors("chains.json"), "chains", (30, &[4, 5]), |of| bytes(text(of, "file")));
}
