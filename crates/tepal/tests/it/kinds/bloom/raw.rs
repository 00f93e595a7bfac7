//! The bits and sizes of a filter, given and taken.

use tepal::{BloomFilter, Error, Layout, Plan, Scheme};

use super::builders;

#[test]
fn bits_go_out_and_in() {
    let own = Scheme::ALL.iter().filter(|scheme| !matches!(scheme, Scheme::CallerHash | Scheme::SipHash13));
    let own = own.map(|&scheme| BloomFilter::builder().scheme(scheme));
    for builder in builders().into_iter().chain(own) {
        let Ok(mut filter) = builder.clone().capacity(300).false_positive_rate(0.05).build() else {
            // A scheme whose size is fixed.
            continue;
        };
        filter.insert_many(&(0..300u64).collect::<Vec<_>>()).unwrap();
        let bits = filter.to_bits().unwrap();
        assert_eq!(bits.len() as u64, filter.bit_len().div_ceil(8));
        let set: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(u64::from(set), filter.set_bits());
        let plan = builder.clone().capacity(300).false_positive_rate(0.05).plan().unwrap();
        let builder = builder.capacity(300).bit_len(plan.bit_len).num_hashes(plan.num_hashes);
        let again = builder.clone().build_with_bits(&bits).unwrap();
        assert!(again == filter && again.set_bits() == filter.set_bits(), "{filter:?}");
        assert_eq!((again.keys_inserted(), again.capacity()), (None, 300));

        for wrong in [&bits[1..], &[&bits[..], &[0]].concat(), &[]] {
            let error = builder.clone().build_with_bits(wrong).unwrap_err();
            assert!(matches!(error, Error::Parameter { name: "the number of bytes", .. }), "{error}");
        }
    }
}

/// Set bits of the last byte past the end of the filter are refused.
#[cfg(feature = "foreign")]
#[test]
fn bits_beyond_the_last_one_are_refused() {
    let builder = BloomFilter::builder().scheme(Scheme::Dcso).bit_len(1001).capacity(100);
    let mut bits = builder.clone().build().unwrap().to_bits().unwrap();
    assert_eq!(bits.len(), 126);
    bits[125] = 1;
    assert_eq!(builder.clone().build_with_bits(&bits).unwrap().set_bits(), 1);
    bits[125] = 2;
    let error = builder.build_with_bits(&bits).unwrap_err();
    assert!(matches!(error, Error::Parameter { name: "the number of the last set bit", .. }), "{error}");
}

#[test]
fn a_plan_stands_alone() {
    let builder = BloomFilter::builder().capacity(1000);
    let plan = builder.plan().unwrap();
    let filter = BloomFilter::builder().planned(plan).seed(7).build().unwrap();
    assert_eq!((filter.capacity(), filter.bit_len(), filter.layout()), (1000, plan.bit_len, plan.layout));
    assert_eq!(BloomFilter::builder().planned(plan).plan().unwrap(), plan);
    // A plan that was changed, or is for another scheme.
    let changes: [fn(&mut Plan); 6] = [
        |plan: &mut Plan| plan.capacity = 0,
        |plan: &mut Plan| plan.false_positive_rate = f64::NAN,
        |plan: &mut Plan| {
            plan.capacity = u64::MAX;
        },
        |plan: &mut Plan| plan.bit_len /= 2,
        |plan: &mut Plan| plan.bit_len += 1,
        |plan: &mut Plan| plan.num_hashes = 17,
    ];
    for change in changes {
        let mut changed = plan;
        change(&mut changed);
        assert!(BloomFilter::builder().planned(changed).build().is_err(), "{changed:?}");
    }
    let split = BloomFilter::builder().layout(Layout::SplitBlock).capacity(1000).plan().unwrap();
    assert!(BloomFilter::builder().planned(split).build().is_ok());
    #[cfg(feature = "foreign")]
    assert!(BloomFilter::builder().planned(split).scheme(Scheme::GuavaMitz64).build().is_err());
    for twice in [builder, BloomFilter::builder().layout(Layout::Line), BloomFilter::builder().bit_len(512)] {
        let error = twice.planned(plan).build().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "the plan", .. }), "{error}");
    }
}
