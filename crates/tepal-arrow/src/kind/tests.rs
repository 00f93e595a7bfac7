use super::*;

/// What the schema is, in a word.
fn found(schema: &ArrowSchema) -> Result<String, String> {
    Type::of(schema).map(|kind| format!("{:?}", kind.0))
}

#[test]
fn formats_that_are_keys() {
    for (format, expected) in [
        ("n", "Null"),
        ("c", "Integers(1, true)"),
        ("L", "Integers(8, false)"),
        ("u", "Short"),
        ("Z", "Long"),
        ("vu", "Views"),
        ("w:16", "Fixed(16)"),
    ] {
        assert_eq!(found(&ArrowSchema::of_tests(format, 2, &[])), Ok(expected.into()), "{format}");
    }
}

#[test]
fn formats_that_are_none_say_what_to_type() {
    for (format, advice) in [
        ("b", "true is not 1"),
        ("g", "cast them to int64 or string"),
        ("d:5,0", "cast them to int64 or string"),
        ("tsu:", "cast them to int64 or string"),
        ("+l", "a column of strings"),
        ("+r", "cast them to the type of the values"),
        ("+s", "a struct of one field is not its field"),
        ("w:x", "cast it to int64 or string"),
        ("", "cast it to int64 or string"),
    ] {
        let error = found(&ArrowSchema::of_tests(format, 2, &[])).unwrap_err();
        assert!(error.contains(advice), "{format}: {error}");
    }
    assert!(found(&ArrowSchema::empty()).unwrap_err().contains("an empty schema"));
    // A struct whose rows are never null is a table, here without a column.
    assert!(found(&ArrowSchema::of_tests("+s", 0, &[])).unwrap_err().contains("0 columns"));
}

#[test]
fn names_of_extension_types_decide() {
    let extended = |format: &str, name: &str, more: &str| {
        let metadata = [("a", "b"), ("ARROW:extension:metadata", more), ("ARROW:extension:name", name)];
        found(&ArrowSchema::of_tests(format, 2, &metadata))
    };
    assert_eq!(extended("w:16", "arrow.uuid", ""), Ok("Uuid".into()));
    assert_eq!(extended("u", "arrow.json", ""), Ok("Short".into()));
    assert_eq!(extended("vu", "arrow.json", ""), Ok("Views".into()));
    assert_eq!(extended("c", "", ""), Ok("Integers(1, true)".into()));
    for (format, name, more, expected) in [
        ("z", "arrow.uuid", "", "the extension type arrow.uuid"),
        ("w:16", "arrow.json", "", "the extension type arrow.json"),
        ("c", "arrow.bool8", "", "true is not 1"),
        ("z", "arrow.opaque", "{\"type_name\":\"bit\"}", "arrow.opaque {\"type_name\":\"bit\"}"),
        ("u", "org.example", "two\nlines", "org.example two\\nlines"),
        ("u", &"x".repeat(500), "", "xxx..."),
        ("+s", "org.example", "", "the extension type org.example"),
    ] {
        let error = extended(format, name, more).unwrap_err();
        assert!(error.contains(expected) && error.len() < 400, "{error}");
    }
}
