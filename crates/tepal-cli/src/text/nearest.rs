//! Finds the name that was probably meant.

/// Longer names are not compared.
const LONGEST: usize = 64;

/// The name nearest to one that does not exist, if it differs only in letter case, or in at most a
/// third of the letters.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.trim().to_lowercase().chars().collect();
    let most = (wanted.len() / 3).max(1);
    if wanted.len() > LONGEST {
        return None;
    }
    let distance = |name: &str| {
        let letters: Vec<char> = name.trim().to_lowercase().chars().take(LONGEST + 1).collect();
        // `mail` is in `e-mail`.
        let is_part = wanted.len() >= 3 && letters.windows(wanted.len()).any(|part| part == wanted);
        let changes = changes(&wanted, &letters);
        (changes <= most || is_part).then_some(changes)
    };
    names
        .into_iter()
        .filter_map(|name| Some((distance(name)?, name)))
        .min_by_key(|(n, _)| *n)
        .map(|(_, name)| name)
}

/// The edit distance: the number of letters to insert, remove, change or swap with the next one to
/// turn one text into the other.
fn changes(a: &[char], b: &[char]) -> usize {
    // Rows of distances to each prefix of `b`: for the present prefix of `a`, one letter less and
    // two letters less.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut before_that) = (row.clone(), row.clone());
    for i in 1..=a.len() {
        (before_that, before, row) = (before, row, before_that);
        row[0] = i;
        for j in 1..=b.len() {
            let changed = before[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(before[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && (a[i - 1], a[i - 2]) == (b[j - 2], b[j - 1]) {
                row[j] = row[j].min(before_that[j - 2] + 1);
            }
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name() {
        let names = ["id", "e-mail", "note", "Straße"];
        for (wanted, expected) in [
            ("email", Some("e-mail")),
            ("mail", Some("e-mail")),
            ("EMail ", Some("e-mail")),
            ("ID", Some("id")),
            ("i", Some("id")),
            ("nota", Some("note")),
            ("strasse", Some("Straße")),
            ("phone number", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names), expected, "{wanted}");
        }
        assert_eq!(nearest(&"x".repeat(1000), names), None);
        assert_eq!(changes(&['a', 'b'], &['b']), 1);
    }
}
