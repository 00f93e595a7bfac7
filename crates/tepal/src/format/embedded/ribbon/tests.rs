use super::super::checksum;
use super::*;

/// Every change of one bit, every cut, and changes with a matching checksum.
#[test]
fn damage_is_refused() {
    let keys = RibbonFilter::builder().key_hasher().unwrap();
    let forms = [
        (EmbeddedForm::RIBBON, RibbonFilter::builder().build_from(0..400u32).unwrap().to_embedded().unwrap()),
        (
            EmbeddedForm::MAP,
            RibbonMap::builder().build_from((0..400u32).map(|i| (i, i % 5))).unwrap().to_embedded().unwrap(),
        ),
        (EmbeddedForm::RIBBON, RibbonFilter::builder().build_from(0..0u32).unwrap().to_embedded().unwrap()),
        // With a second ribbon.
        (
            EmbeddedForm::RIBBON,
            RibbonFilter::builder()
                .false_positive_rate(0.4)
                .build_from(0..2048u32)
                .unwrap()
                .to_embedded()
                .unwrap(),
        ),
    ];
    let is_read = |form: EmbeddedForm, bytes: &[u8]| match form.kind {
        Kind::Map => RibbonMap::from_embedded(bytes, &keys).map(|map| map.to_embedded().unwrap()),
        _ => RibbonFilter::from_embedded(bytes, &keys).map(|filter| filter.to_embedded().unwrap()),
    };
    for (form, bytes) in forms {
        assert_eq!(is_read(form, &bytes).unwrap(), bytes);
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(is_read(form, &changed).is_err(), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert!(is_read(form, &bytes[..len]).is_err(), "{len} bytes");
        }
        assert!(is_read(form, &[&bytes[..], &[0]].concat()).is_err());

        // With a matching checksum, any numbers: none makes it panic, and a form that can be read
        // is written with the same bytes.
        let body = bytes.len() / 64 * 64;
        let mut read = 0;
        for at in body..bytes.len() - SAID {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                let (before, rest) = changed.split_at(body);
                let sum = checksum(before, &rest[..rest.len() - 8], check_of_keys(&keys));
                let end = changed.len() - 8;
                changed[end..].copy_from_slice(&sum.to_le_bytes());
                if let Ok(again) = is_read(form, &changed) {
                    read += 1;
                    assert_eq!(again, changed, "byte {at}: {value}");
                    if form.kind == Kind::Ribbon {
                        let filter = RibbonFilter::from_embedded(&changed, &keys).unwrap();
                        let _ = (filter.contains(&7u32), filter.contains_many(&[1u32, 2, 3]), filter.facts());
                    } else {
                        let map = RibbonMap::from_embedded(&changed, &keys).unwrap();
                        let _ = (map.get(&7u32), map.get_many(&[1u32, 2, 3]), map.facts());
                    }
                }
            }
        }
        assert!(read >= bytes.len() - SAID - body, "{read}: those that were not changed");
    }
}

#[test]
fn numbers_have_one_form() {
    for n in [0, 1, 127, 128, 300, 1 << 14, u64::from(u32::MAX), 1 << 63, u64::MAX] {
        let mut bytes = Vec::new();
        put_number(n, &mut bytes);
        assert!(bytes.len() <= 10);
        let mut fields = Fields::at(&bytes, 0);
        assert_eq!(number(&mut fields).unwrap(), n);
        assert!(fields.rest().is_empty());
        assert!(number(&mut Fields::at(&bytes[..bytes.len() - 1], 0)).is_err());
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push(0);
        assert!(number(&mut Fields::at(&bytes, 0)).is_err(), "{n}");
    }
    assert!(number(&mut Fields::at(&[0xFF; 11], 0)).is_err());
    assert!(number(&mut Fields::at(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], 0)).is_err());
}
