//! The other picture: bits a key of everyone against the rate, above the limit that no filter can
//! be below.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{
    Area, COLOURS, FONT, GRID, INK, LEGEND, Result, SIZE, Series, Table, into_file, largest, legend, series,
    symbol,
};

/// The ticks of the axis of rates: 2^-2, 2^-4 ...
const STEP: f64 = 2.0;

/// Draws the largest tables of hashed keys.
///
/// # Errors
/// Where the run has no such table, or the file cannot be written.
pub(crate) fn draw(tables: &[Table], file: &Path) -> Result<()> {
    let (keys, drawn) = largest(tables)?;
    let mut all = series(&drawn);
    all.iter_mut().for_each(|series| series.marks.sort_by(|a, b| b.measured.total_cmp(&a.measured)));
    into_file(file, |root| picture(root, keys, &all))
}

fn picture(root: &Area<'_>, keys: usize, all: &[Series]) -> Result<()> {
    root.fill(&WHITE)?;
    let text = |size: i32| (FONT, size).into_font().color(&INK);
    root.draw(&Text::new(
        format!("{keys:e} keys: how many bits a filter takes for a rate"),
        (20, 16),
        text(21),
    ))?;
    let about =
        "False-positive rates as measured. Lower is better; no filter of keys can be below the grey line.";
    root.draw(&Text::new(about, (20, 46), text(14)))?;

    let marks = || all.iter().flat_map(|series| &series.marks);
    let deepest = marks().map(|mark| -mark.measured.log2()).fold(0.0, f64::max);
    let (least, most) = (marks().map(|mark| -mark.measured.log2()).fold(f64::MAX, f64::min), deepest + 0.7);
    let least = (least - 0.7).max(0.0);
    let bits = marks().map(|mark| mark.bits).fold(0.0, f64::max) + 1.0;
    let (_, body) = root.split_vertically(64);
    let (left, right) = body.split_horizontally(SIZE.0 - LEGEND);
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .x_label_area_size(46)
        .y_label_area_size(56)
        .build_cartesian_2d(least..most, 0.0..bits)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_label_formatter(&|_| String::new())
        .y_label_formatter(&|bits| format!("{bits:.0}"))
        .x_desc("false-positive rate")
        .y_desc("bits a key")
        .axis_desc_style(text(15))
        .label_style(text(14))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .draw()?;
    let mut power = (least / STEP).ceil() * STEP;
    while power < most {
        let [from, to] = [0.0, bits].map(|bits| chart.backend_coord(&(power, bits)));
        root.draw(&PathElement::new([from, to], GRID))?;
        let style = text(14).pos(Pos::new(HPos::Center, VPos::Top));
        root.draw(&Text::new(rate(power), (from.0, from.1 + 8), style))?;
        power += STEP;
    }

    let limit = [least, most].map(|power| chart.backend_coord(&(power, power)));
    root.draw(&PathElement::new(limit, COLOURS[3].stroke_width(3)))?;
    let style = text(14).pos(Pos::new(HPos::Right, VPos::Top));
    root.draw(&Text::new("log2(1/rate), the limit", (limit[1].0 - 40, limit[1].1 + 60), style))?;
    for (i, (series, colour)) in all.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let at = |mark: &super::Mark| chart.backend_coord(&(-mark.measured.log2(), mark.bits));
        let points: Vec<_> = series.marks.iter().map(at).collect();
        root.draw(&PathElement::new(points.clone(), colour.stroke_width(2)))?;
        points.into_iter().try_for_each(|point| symbol(root, i, series, point))?;
    }
    drop(chart);
    legend(&right, root, all)
}

/// 2^-power as people write it.
fn rate(power: f64) -> String {
    match power {
        0.0..7.0 => format!("{:.2} %", 100.0 / power.exp2()),
        _ => format!("2^-{power}"),
    }
}
