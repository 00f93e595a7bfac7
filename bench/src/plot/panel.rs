//! One chart: lines against the false-positive rate, each with its name at its end.

use super::labels::spread;
use super::svg::{Anchor, Font, Point, Role, Svg};

pub(super) const NOTE: Font = Font { size: 15.0, bold: false };
const HEAD: Font = Font { size: 17.0, bold: true };
const LABEL: Font = Font { size: 17.0, bold: false };
/// From the middle of one label to the middle of the next.
const GAP: f64 = 20.0;
/// From the middle of a small text to its baseline.
const BASELINE: f64 = 5.5;
/// Width of the labels of the vertical axis, and from the longest line to the names.
const TICKS: f64 = 40.0;
const LEADER: f64 = 18.0;
/// The widest name takes this much.
const NAMES: f64 = 168.0;
/// From the top to the chart, and from the chart to the bottom.
const ABOVE: f64 = 44.0;
const BELOW: f64 = 42.0;

/// One filter, called in one way.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) role: Role,
    /// Rate and height, from the highest rate to the lowest.
    pub(super) points: Vec<Point>,
}

/// From one value to another, on a scale that is logarithmic or not.
#[derive(Clone)]
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) logarithmic: bool,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// The pixel of a value, where the axis goes from pixel `start` to pixel `end`.
    fn place(&self, value: f64, start: f64, end: f64) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.ln() } else { value };
        let [from, to, value] = [self.from, self.to, value].map(scale);
        start + (value - from) / (to - from) * (end - start)
    }
}

/// Where a chart stands in the picture.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Draws the chart; `head` tells what is compared, `note` how to read it.
pub(super) fn draw(
    svg: &mut Svg,
    frame: &Frame,
    [head, note]: [&str; 2],
    x: &Axis,
    y: &Axis,
    all: &[Series],
) {
    let (left, right) = (frame.left + TICKS, frame.left + frame.width - NAMES - LEADER);
    let (top, bottom) = (frame.top + ABOVE, frame.top + frame.height - BELOW);
    let at = |&(rate, height): &Point| (x.place(rate, left, right), y.place(height, bottom, top));

    svg.text((frame.left + 4.0, frame.top + 14.0), Anchor::Start, HEAD, Role::Ink, head);
    svg.text((frame.left + 4.0, frame.top + 33.0), Anchor::Start, NOTE, Role::Ink, note);
    for (height, name) in &y.ticks {
        let height = y.place(*height, bottom, top);
        svg.line(&[(left, height), (right, height)], Role::Grid, true);
        svg.text((left - 8.0, height + BASELINE), Anchor::End, NOTE, Role::Ink, name);
    }
    for (rate, name) in &x.ticks {
        let rate = x.place(*rate, left, right);
        svg.line(&[(rate, top), (rate, bottom)], Role::Grid, true);
        // Rates that are close together have one name.
        if !svg.would_cover((rate, bottom + 18.0), NOTE, name) {
            svg.text((rate, bottom + 18.0), Anchor::Middle, NOTE, Role::Ink, name);
        }
    }
    let middle = (left + right) / 2.0;
    svg.text((middle, bottom + 37.0), Anchor::Middle, NOTE, Role::Ink, "false-positive rate");

    // Later ones are on top.
    let mut order: Vec<&Series> = all.iter().collect();
    order.sort_by_key(|series| {
        [Role::Limit, Role::Peer, Role::Tepal].iter().position(|role| *role == series.role)
    });
    for series in order {
        let points: Vec<Point> = series.points.iter().map(at).collect();
        svg.line(&points, series.role, false);
        if series.role != Role::Limit {
            points.into_iter().for_each(|point| svg.dot(point, series.role));
        }
    }
    let ends: Vec<Point> = all.iter().filter_map(|series| series.points.last()).map(at).collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, height)| *height).collect();
    let places = spread(&wanted, GAP, (top + BASELINE, bottom - BASELINE));
    for ((series, &end), place) in all.iter().zip(&ends).zip(places) {
        let from = (end.0 + 7.0, end.1);
        svg.line(&[from, (right + 4.0, end.1), (right + LEADER - 4.0, place)], series.role, true);
        let start = (right + LEADER, place + BASELINE);
        svg.text(start, Anchor::Start, LABEL, series.role, &series.name);
    }
}
