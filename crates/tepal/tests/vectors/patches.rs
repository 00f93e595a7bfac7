//! `patches.json`: what makes one file another.

use tepal::{Error, Patch};

use crate::{bytes, cases, text, vectors};

#[test]
fn patches() {
    let file = vectors("patches.json");
    for case in cases(&file, "patches") {
        let [old, new, patch] = ["old", "new", "patch"].map(|field| bytes(text(case, field)));
        let made = Patch::between(&old, &new).unwrap();
        assert_eq!(made.as_bytes(), patch, "{}", text(case, "name"));
        assert_eq!(Patch::from_bytes(patch).unwrap().apply(&old).unwrap(), new, "{}", text(case, "name"));
    }
}

#[test]
fn refused_patches() {
    let file = vectors("patches.json");
    let whole = cases(&file, "patches").iter().find(|case| text(case, "name") == "a few keys more").unwrap();
    let old = bytes(text(whole, "old"));
    for case in cases(&file, "refused") {
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
