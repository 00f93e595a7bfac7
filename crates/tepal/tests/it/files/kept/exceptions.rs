//! Filters with exceptions, in a folder of their own: they say no for the known exceptions, from a
//! list or a divider.

use super::in_folder;

#[test]
fn kept_exceptions_are_those_they_were() {
    let (mut lists, mut dividers) = (0, 0);
    for kept in in_folder("exceptions") {
        let name = kept.path.display();
        *(if kept.json["is_divided"] == true { &mut dividers } else { &mut lists }) += 1;
        if !kept.is_known() {
            let refused = kept.opened().map(drop);
            assert!(matches!(refused, Err(tepal::Error::Unsupported { .. })), "{name}");
            continue;
        }
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = opened.facts().unwrap();
        assert_eq!(kept.text("layout"), facts.parts[0].layout.name(), "{name}");
        assert_eq!(kept.text("scheme"), facts.scheme.to_string(), "{name}");
        assert_eq!(kept.json["is_divided"], facts.is_divided, "{name}");
        assert_eq!(kept.number("exceptions"), facts.exceptions, "{name}");
        assert_eq!(kept.number("capacity"), facts.capacity, "{name}");
        assert_eq!(kept.json["keys_inserted"].as_u64(), facts.keys_inserted, "{name}");
        assert!(facts.exceptions > 0, "{name}");

        let (members, strangers) = (kept.number("members"), kept.number("known_strangers"));
        let answers = kept.text("answers_to_others").bytes().map(|answer| answer == b'1');
        let expected = (0..members).map(|_| true).chain((0..strangers).map(|_| false)).chain(answers);
        let expected: Vec<bool> = expected.collect();
        assert_eq!(expected.len() as u64, members + strangers + 1000, "{name}");
        let keys = kept.keys(0..expected.len() as u64);
        assert_eq!(opened.contains_many(&keys), expected, "{name}");
        for (key, expected) in keys.iter().zip(expected) {
            assert_eq!(opened.contains(key), expected, "{name}: {key}");
        }
        assert!(kept.written(&opened) == kept.file, "{name}: written again");
    }
    assert!(lists >= 5 && dividers >= 4, "{lists} {dividers}");
}
