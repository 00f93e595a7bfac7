//! Where the labels beside a chart go, so that none covers another.

/// The places nearest to the wanted ones that are at least `gap` apart, between `top` and `bottom`.
/// Labels that want one place keep their order.
pub(super) fn spread(wanted: &[f64], gap: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Blocks of labels that touch: the place of the first label of the first block if all labels
    // stood in this block, and the number of labels. Blocks that would overlap become one.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (i, &label) in order.iter().enumerate() {
        let (mut start, mut count) = (wanted[label] - i as f64 * gap, 1);
        while let Some(&(before, labels)) = blocks.last() {
            if before <= start {
                break;
            }
            blocks.pop();
            start = (before * labels as f64 + start * count as f64) / (labels + count) as f64;
            count += labels;
        }
        blocks.push((start, count));
    }
    let last = bottom - gap * wanted.len().saturating_sub(1) as f64;
    let starts = blocks.into_iter().flat_map(|(start, count)| std::iter::repeat_n(start, count));
    let mut places = vec![0.0; wanted.len()];
    for (i, (&label, start)) in order.iter().zip(starts).enumerate() {
        places[label] = start.min(last).max(top) + i as f64 * gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_as_wanted_where_there_is_room() {
        assert_eq!(spread(&[50.0, 10.0, 30.0], 20.0, (0.0, 60.0)), [50.0, 10.0, 30.0]);
    }

    #[test]
    fn labels_that_want_one_place_stand_around_it_in_their_order() {
        assert_eq!(spread(&[50.0, 50.0, 50.0, 200.0], 20.0, (0.0, 300.0)), [30.0, 50.0, 70.0, 200.0]);
    }

    #[test]
    fn a_label_pushed_into_others_pushes_them_on() {
        let places = spread(&[40.0, 50.0, 62.0, 75.0], 20.0, (0.0, 300.0));
        for pair in places.windows(2) {
            assert!((pair[1] - pair[0] - 20.0).abs() < 1e-9, "{places:?}");
        }
        assert!((places.iter().sum::<f64>() / 4.0 - 56.75).abs() < 1e-9, "{places:?}");
    }

    #[test]
    fn labels_stay_inside() {
        assert_eq!(spread(&[5.0, 5.0], 20.0, (0.0, 100.0)), [0.0, 20.0]);
        assert_eq!(spread(&[99.0, 98.0, 10.0], 20.0, (0.0, 100.0)), [100.0, 80.0, 10.0]);
    }
}
