//! Small pictures in one line of text.

/// Characters of a picture.
pub const WIDTH: usize = 40;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Does the terminal's locale have more than ASCII?
pub fn has_unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    cfg!(windows)
        || locale.is_some_and(|name| {
            let name = name.to_ascii_uppercase();
            name.contains("UTF-8") || name.contains("UTF8")
        })
}

/// One column for each fraction of 1, as high as the fraction. In ASCII it is a digit: the tenths.
pub fn columns(shares: &[f64], unicode: bool) -> String {
    let step = |share: &f64, steps: f64| (share.clamp(0.0, 1.0) * steps).min(steps - 1.0) as usize;
    let column = |share: &f64| match unicode {
        true => HEIGHTS[step(share, 8.0)],
        false => char::from(b'0' + step(share, 10.0) as u8),
    };
    shares.iter().map(column).collect()
}

/// A bar of [`WIDTH`] characters, filled to a fraction of 1.
pub fn bar(share: f64, unicode: bool) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (WIDTH * 8) as f64).round() as usize;
    let (full, part) = (eighths / 8, eighths % 8);
    let mut bar = String::new();
    bar.extend(std::iter::repeat_n(if unicode { '█' } else { '#' }, full));
    if full < WIDTH {
        bar.push(match (unicode, part) {
            (true, part) => EIGHTHS[part],
            (false, 0..4) => '.',
            (false, _) => '+',
        });
        bar.extend(std::iter::repeat_n(if unicode { ' ' } else { '.' }, WIDTH - full - 1));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_follow_the_shares() {
        assert_eq!(columns(&[0.0, 0.51, 0.99, 1.0, 2.0], true), "▁▅███");
        assert_eq!(columns(&[0.0, 0.51, 0.99, 1.0], false), "0599");
    }

    #[test]
    fn bars_have_one_width() {
        for share in [-1.0, 0.0, 0.001, 0.49, 0.5, 0.999, 1.0, 7.0] {
            for unicode in [true, false] {
                assert_eq!(bar(share, unicode).chars().count(), WIDTH, "{share}");
            }
        }
        assert!(bar(0.5, false).starts_with("####################."));
    }
}
