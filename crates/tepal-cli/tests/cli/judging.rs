//! What `tepal test` calls a broken promise: not a measurement that chance explains, and every one
//! that it does not.

use crate::place::Place;

/// Random-looking lines of which the filter `f` holds just so many. It is asked itself which.
fn strangers(place: &Place, held: usize, all: usize) -> Vec<u8> {
    let candidates: Vec<u8> = (0..200_000).flat_map(|n| format!("stranger {n}\n").into_bytes()).collect();
    let split = |flags: &str, most: usize| {
        let ran = place.run_with(&format!("has f {flags} -m {most}"), &candidates);
        assert_eq!(ran.out.iter().filter(|&&byte| byte == b'\n').count(), most, "{flags}");
        ran.out
    };
    [split("", held), split("-v", all - held)].concat()
}

/// How many standard errors `held` of `all` lie above a promise: what each count of a share that is
/// just the promise deviates by.
fn standard_errors(held: usize, all: usize, promise: f64) -> f64 {
    let all = all as f64;
    (held as f64 - promise * all) / (promise * (1.0 - promise) * all).sqrt()
}

/// A filter that just keeps its promise fails one test in 2,000: 3.29 standard errors.
#[test]
fn a_promise_is_broken_where_chance_does_not_explain_it() {
    const BROKEN_FROM: f64 = 3.29;
    const ALL: usize = 10_000;
    let place = Place::new();
    let members: Vec<u8> = (0..2000).flat_map(|n| format!("member {n}\n").into_bytes()).collect();
    assert_eq!(place.run_with("build -q -p 1% -o f", &members).code, 0);
    let (mut kept, mut broken) = (0, 0);
    for held in [0, 90, 100, 110, 120, 130, 132, 133, 135, 150, 200, 400, 1000] {
        place.write("strangers", strangers(&place, held, ALL));
        let ran = place.run("test --json f --absent strangers");
        let json = ran.json();
        assert_eq!((&json["absent"], &json["absent_wrong"]), (&ALL.into(), &held.into()));
        assert_eq!(json["promised_false_positive_rate"], 0.01);
        let errors = standard_errors(held, ALL, 0.01);
        let is_broken = errors > BROKEN_FROM;
        assert_eq!(ran.code, i32::from(is_broken), "{held} wrong, {errors} standard errors");
        assert_eq!(json["promise_kept"], !is_broken, "{held} wrong");
        assert_eq!(
            place.run("test f --absent strangers").text().contains("BROKEN"),
            is_broken,
            "{held} wrong"
        );
        // A rate is in the interval if what was found lies within 1.96 of its own standard errors.
        let end = |name: &str| json[name].as_f64().unwrap();
        let (low, high) = (end("false_positive_rate_low"), end("false_positive_rate_high"));
        for (end, sign) in [(low, 1.0), (high, -1.0)] {
            let off = if end == 0.0 { 1.96 } else { sign * standard_errors(held, ALL, end) };
            assert!((off - 1.96).abs() < 1e-3, "{held} wrong: {end} is {off} standard errors away");
        }
        kept += u32::from(!is_broken);
        broken += u32::from(is_broken);
    }
    assert!(kept >= 5 && broken >= 5);
    // One member that is missed is one too many.
    place.write("members", [&members[..], b"nobody\n"].concat());
    place.write("strangers", strangers(&place, 0, ALL));
    assert_eq!(place.run("test f --members members --absent strangers").code, 1);
}
