//! `patches.json`: patches that turn one file into another.

use tepal::{Error, file::Patch};

use super::{bytes, cases, text, vectors};

#[test]
fn patches() {
    let file = vectors("patches.json");
    for case in cases(&file, "patches") {
        let [old, new, patch] = ["old", "new", "patch"].map(|field| bytes(text(case, field)));
        // A build that does not know a ribbon's file still makes the new one from the old one.
        if cfg!(feature = "static") || old.get(10) != Some(&7) {
            let made = Patch::between(&old, &new).unwrap();
            assert_eq!(made.as_bytes(), patch, "{}", text(case, "name"));
        }
        assert_eq!(Patch::from_bytes(patch).unwrap().apply(&old).unwrap(), new, "{}", text(case, "name"));
    }
}

#[test]
fn refused_patches() {
    let file = vectors("patches.json");
    for case in cases(&file, "refused") {
        let of = |whole: &&serde_json::Value| text(whole, "name") == text(case, "of");
        let old = bytes(text(cases(&file, "patches").iter().find(of).unwrap(), "old"));
        let made = Patch::from_bytes(bytes(text(case, "patch"))).and_then(|patch| patch.apply(&old));
        let error = made.expect_err(text(case, "reason"));
        let is_expected = matches!(
            error,
            Error::Damaged { .. }
                | Error::OtherOld { .. }
                | Error::Parameter { .. }
                | Error::Unsupported { .. }
        );
        assert!(is_expected, "{}: {error}", text(case, "reason"));
    }
}
