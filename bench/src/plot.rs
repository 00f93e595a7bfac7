//! The picture: bits a key, rate and batch lookup time of everyone, as SVG.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::case::{Group, rate_name};
use crate::contender::Calls;
use crate::keys::Kind;
use crate::machine;
use crate::measure::Row;
use crate::report::{Table, percent};

pub(crate) mod frontier;
mod labels;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The whole picture, in pixels.
const SIZE: (u32, u32) = (1000, 600);
/// The right part of it, for the names.
const LEGEND: u32 = 215;
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(34, 34, 34);
const GRID: RGBColor = RGBColor(224, 224, 224);

/// Colours that colour-blind people can tell apart, by Okabe and Ito; the shapes of the marks
/// differ too.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(86, 180, 233),
    RGBColor(110, 110, 110),
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(204, 121, 167),
];

/// Ticks of the axis of times.
const TICKS: [f64; 11] = [0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0];

/// One filter at all rates.
struct Series {
    name: String,
    marks: Vec<Mark>,
}

/// One filter at one rate.
struct Mark {
    bits: f64,
    nanoseconds: f64,
    /// As it was measured.
    measured: f64,
    rate: String,
    calls: Calls,
}

/// Draws the largest tables of hashed keys.
///
/// # Errors
/// Where the run has no such table, or the file cannot be written.
pub(crate) fn draw(tables: &[Table], file: &Path) -> Result<()> {
    let (keys, drawn) = largest(tables)?;
    let all = series(&drawn);
    into_file(file, |root| picture(root, keys, &all))
}

/// The largest tables of hashed keys, and of how many keys they are.
fn largest(tables: &[Table]) -> Result<(usize, Vec<&Table>)> {
    let hashed = || tables.iter().filter(|table| table.case.group == Group::Alone(Kind::Hashed));
    let most = hashed().max_by_key(|t| (t.case.keys <= TYPICAL, t.case.keys)).map(|table| table.case.keys);
    let keys = most.ok_or("a picture needs a table of hashed keys")?;
    Ok((keys, hashed().filter(|table| table.case.keys == keys).collect()))
}

fn into_file(file: &Path, picture: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<()> {
    let failed = |error| format!("{}: {error}", file.display());
    let root = SVGBackend::new(file, SIZE).into_drawing_area();
    picture(&root).and_then(|()| Ok(root.present()?)).map_err(failed)?;
    Ok(())
}

/// Tables of more keys than this are drawn only where there is no other: they have one rate.
const TYPICAL: usize = 20_000_000;

/// Each filter in the fastest way that one thread can ask it.
fn series(tables: &[&Table]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for table in tables {
        let rows = || table.rows.iter().filter(|row| row.calls != Calls::Limit && !row.calls.by_the_clock());
        for row in rows() {
            if rows().any(|other| other.name == row.name && lookup(other) < lookup(row)) {
                continue;
            }
            // One name for xorf's filters, which differ in their bits alone.
            let name = row.name.trim_end_matches(char::is_numeric);
            let rate = row.rate.map_or(String::new(), |rate| short_rate(rate, tables));
            let (bits, measured) = (row.bits_per_key, row.rate.unwrap_or(1.0));
            let mark = Mark { bits, nanoseconds: lookup(row), measured, rate, calls: row.calls };
            match all.iter_mut().find(|series| series.name == name) {
                // The same filter answers for two rates, where it comes in few sizes.
                Some(series) if series.marks.iter().any(|m| m.rate == mark.rate) => {}
                Some(series) => series.marks.push(mark),
                None => all.push(Series { name: name.to_string(), marks: vec![mark] }),
            }
        }
    }
    all
}

/// Nanoseconds of a question, where half of the keys are in.
fn lookup(row: &Row) -> f64 {
    (row.hit.median() + row.miss.median()) / 2.0
}

/// A measured rate under the name of the wanted one, if it is that.
fn short_rate(rate: f64, tables: &[&Table]) -> String {
    let wanted = tables.iter().map(|table| table.case.rate).find(|wanted| (rate / wanted - 1.0).abs() < 0.15);
    wanted.map_or_else(|| percent(rate), rate_name)
}

fn picture(root: &Area<'_>, keys: usize, all: &[Series]) -> Result<()> {
    root.fill(&WHITE)?;
    let text = |size: i32| (FONT, size).into_font().color(&INK);
    let title = format!("{keys:e} keys, hashed beforehand: bits, rate and time of a filter");
    root.draw(&Text::new(title, (20, 16), text(21)))?;
    let class = format!(
        "{}, one thread. Beside each mark its false-positive rate; mean of hits and misses. Lower and further left is \
         better.",
        machine::cpu_model()
    );
    root.draw(&Text::new(class, (20, 46), text(14)))?;

    let marks = || all.iter().flat_map(|series| &series.marks);
    let bounds =
        |of: fn(&Mark) -> f64| marks().map(of).fold((f64::MAX, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let (least_bits, most_bits) = bounds(|mark| mark.bits);
    let (least_time, most_time) = bounds(|mark| mark.nanoseconds);
    let (least, most) = ((least_bits - 2.5).floor(), (most_bits + 3.0).ceil());
    let (_, body) = root.split_vertically(64);
    let (left, right) = body.split_horizontally(SIZE.0 - LEGEND);
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .x_label_area_size(46)
        .y_label_area_size(56)
        .build_cartesian_2d(least..most, (least_time * 0.7..most_time * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_label_formatter(&|_| String::new())
        .x_label_formatter(&|bits| format!("{bits:.0}"))
        .x_desc("bits a key")
        .y_desc("CPU nanoseconds a lookup (logarithmic)")
        .axis_desc_style(text(15))
        .label_style(text(14))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .draw()?;
    // The library's own ticks of a logarithmic axis are powers of ten alone.
    for ns in TICKS.into_iter().filter(|ns| (least_time * 0.7..most_time * 1.5).contains(ns)) {
        let [from, to] = [least, most].map(|bits| chart.backend_coord(&(bits, ns)));
        root.draw(&PathElement::new([from, to], GRID))?;
        let style = text(14).pos(Pos::new(HPos::Right, VPos::Center));
        root.draw(&Text::new(format!("{ns}"), (from.0 - 8, from.1), style))?;
    }

    // Everything on the chart by its pixels: marks and labels keep their size whatever the scales
    // are.
    let at = |mark: &Mark| chart.backend_coord(&(mark.bits, mark.nanoseconds));
    let mut obstacles = labels::Obstacles::default();
    for (series, colour) in all.iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<_> = series.marks.iter().map(at).collect();
        root.draw(&PathElement::new(points.clone(), colour.stroke_width(2)))?;
        obstacles.add_line(&points);
    }
    for (i, series) in all.iter().enumerate() {
        for mark in &series.marks {
            obstacles.add_mark(at(mark));
            symbol(root, i, series, at(mark))?;
        }
    }
    for mark in all.iter().flat_map(|series| &series.marks) {
        let place = obstacles.place_label(at(mark), &mark.rate);
        let style = text(labels::HEIGHT).pos(Pos::new(HPos::Center, VPos::Center));
        root.draw(&Text::new(mark.rate.clone(), place, style))?;
    }
    drop(chart);
    legend(&right, root, all)
}

/// The names, on the right of the chart.
fn legend(right: &Area<'_>, root: &Area<'_>, all: &[Series]) -> Result<()> {
    let (x, y) = right.get_base_pixel();
    for (i, series) in all.iter().enumerate() {
        let y = y + 20 + 44 * i as i32;
        symbol(root, i, series, (x + 12, y + 8))?;
        let text = |size: i32, ink| (FONT, size).into_font().color(ink);
        root.draw(&Text::new(series.name.clone(), (x + 28, y), text(16, &INK)))?;
        let mut calls: Vec<String> = series.marks.iter().map(|mark| mark.calls.label()).collect();
        calls.sort_unstable();
        calls.dedup();
        root.draw(&Text::new(calls.join(", "), (x + 28, y + 19), text(13, &COLOURS[3])))?;
    }
    Ok(())
}

/// The mark of series `i`: shape and colour; filled for tepal, hollow for others.
fn symbol(root: &Area<'_>, i: usize, series: &Series, (x, y): (i32, i32)) -> Result<()> {
    let r = labels::RADIUS - 1;
    let corners: Vec<(i32, i32)> = match i % 5 {
        0 => vec![(-r, -2), (-2, -r), (2, -r), (r, -2), (r, 2), (2, r), (-2, r), (-r, 2)],
        1 => vec![(-r, -r), (r, -r), (r, r), (-r, r)],
        2 => vec![(0, -r - 1), (r + 1, r), (-r - 1, r)],
        3 => vec![(0, -r - 2), (r + 2, 0), (0, r + 2), (-r - 2, 0)],
        _ => vec![(-r - 1, -r), (r + 1, -r), (0, r + 1)],
    };
    let mut outline: Vec<_> = corners.into_iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    let colour = COLOURS[i % COLOURS.len()];
    let inside = if series.name.starts_with("tepal") { colour } else { WHITE };
    root.draw(&Polygon::new(outline.clone(), inside.filled()))?;
    outline.extend_from_within(..2);
    root.draw(&PathElement::new(outline, colour.stroke_width(2)))?;
    Ok(())
}
