//! Where a label goes so that it covers nothing.

/// Height of a label, in pixels.
pub(super) const HEIGHT: i32 = 14;
/// Half the width of a mark.
pub(super) const RADIUS: i32 = 6;

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Area {
    fn around((x, y): (i32, i32), half_width: i32, half_height: i32) -> Self {
        Area { left: x - half_width, right: x + half_width, top: y - half_height, bottom: y + half_height }
    }

    fn meets(&self, other: &Area) -> bool {
        self.left <= other.right
            && other.left <= self.right
            && self.top <= other.bottom
            && other.top <= self.bottom
    }

    fn holds(&self, (x, y): (i32, i32)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// What a label must not cover, and the lines that it had better not.
#[derive(Default)]
pub(super) struct Obstacles {
    taken: Vec<Area>,
    points: Vec<(i32, i32)>,
}

impl Obstacles {
    /// A mark stands here.
    pub(super) fn add_mark(&mut self, at: (i32, i32)) {
        self.taken.push(Area::around(at, RADIUS + 1, RADIUS + 1));
    }

    /// A line goes through these points.
    pub(super) fn add_line(&mut self, points: &[(i32, i32)]) {
        for ends in points.windows(2) {
            let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
            let steps = ((to_x - x).abs().max((to_y - y).abs()) / 3).max(1);
            let point = |step| (x + (to_x - x) * step / steps, y + (to_y - y) * step / steps);
            self.points.extend((0..=steps).map(point));
        }
    }

    /// The middle of the place for a label of the mark at `mark`. The place is taken from then on.
    pub(super) fn place_label(&mut self, mark: (i32, i32), text: &str) -> (i32, i32) {
        let half_width = (text.chars().count() as i32 * HEIGHT * 3 / 10).max(HEIGHT / 2);
        let half_height = HEIGHT / 2;
        let (side, over) = (half_width + RADIUS + 3, half_height + RADIUS + 3);
        let near = [
            (side, 0),
            (0, -over),
            (-side, 0),
            (0, over),
            (side, -over),
            (-side, -over),
            (side, over),
            (-side, over),
        ];
        let far = near.map(|(x, y)| (x * 3 / 2, y * 3 / 2));
        let places = near.into_iter().chain(far).enumerate();
        let cost = |&(order, (x, y)): &(usize, (i32, i32))| {
            let area = Area::around((mark.0 + x, mark.1 + y), half_width, half_height);
            let covered = self.taken.iter().filter(|taken| taken.meets(&area)).count();
            let crossed = self.points.iter().filter(|point| area.holds(**point)).count();
            1_000 * covered + 3 * crossed + order
        };
        let (_, (x, y)) = places.min_by_key(cost).expect("there are places");
        let place = (mark.0 + x, mark.1 + y);
        self.taken.push(Area::around(place, half_width, half_height));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_marks_side_by_side_do_not_meet() {
        let marks = [(100, 100), (112, 100), (106, 112), (100, 112)];
        let mut obstacles = Obstacles::default();
        marks.iter().for_each(|mark| obstacles.add_mark(*mark));
        for mark in marks {
            obstacles.place_label(mark, "0.1 %");
        }
        let (marks, labels) = obstacles.taken.split_at(marks.len());
        for (i, label) in labels.iter().enumerate() {
            assert!(!marks.iter().any(|mark| mark.meets(label)), "label {i} covers a mark");
            assert!(!labels[..i].iter().any(|other| other.meets(label)), "label {i} covers a label");
        }
    }
}
