//! A sealed file opens with the key of its seal, or is refused.

/// What is left of a key while a file is sealed is not shown either.
#[cfg(feature = "seal")]
#[test]
fn a_key_in_use_stays_hidden() {
    let key = crate::SealKey::new(b"the key of this seal").unwrap();
    let sealer = super::Sealer::new(Some(&key));
    assert_eq!(alloc::format!("{:?}", sealer.0), "Some(Sealing(..))");
}
