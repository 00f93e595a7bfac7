//! The picture of a run: size and time of everyone against the false-positive rate, as SVG, drawn
//! from the Markdown that the run printed.

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::contender::Calls;
use panel::{Axis, Frame, NOTE, Series};
use parse::{Row, Run, Table};
use svg::{Anchor, Font, Role, Svg};

mod labels;
mod panel;
mod parse;
mod svg;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Width and height, in pixels: on a telephone half of it.
const SIZE: (f64, f64) = (840.0, 840.0);
const TITLE: Font = Font { size: 22.0, bold: true };
/// Tables of more keys than this are drawn only if there is no other: they have one rate.
const TYPICAL: usize = 20_000_000;
/// Names that people know, for names of the tables.
const NAMES: [(&str, &str); 2] = [("tepal quotient", "tepal deletable"), ("tepal ribbon", "tepal static")];
/// Possible ticks of the axis of times.
const TIMES: [f64; 12] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0];

/// Reads what a run printed, and draws it.
///
/// # Errors
/// If the file has no table of hashed keys, or a file cannot be read or written.
pub(crate) fn run(result: &Path, picture: &Path) -> Result<()> {
    let text = fs::read_to_string(result).map_err(|error| format!("{}: {error}", result.display()))?;
    let svg = draw(&text).map_err(|error| format!("{}: {error}", result.display()))?;
    fs::write(picture, svg).map_err(|error| format!("{}: {error}", picture.display()))?;
    Ok(())
}

fn draw(text: &str) -> Result<String> {
    let Run { cpu, tables } = parse::run(text)?;
    let most = tables.iter().max_by_key(|table| (table.keys <= TYPICAL, table.keys));
    let keys = most.ok_or("no table of hashed keys; print one with `-- --kinds hashed`")?.keys;
    let mut tables: Vec<&Table> = tables.iter().filter(|table| table.keys == keys).collect();
    tables.sort_by(|a, b| b.rate.total_cmp(&a.rate));

    let bits = |row: &Row| row.bits;
    let lookup = |row: &Row| Some((row.hit + row.miss) / 2.0);
    let [one, batch, fixed] = [Calls::OneKey, Calls::Batch, Calls::Static].map(Calls::label);
    let mut sizes = series(&tables, bits, |calls| calls == one || calls == fixed);
    let single = series(&tables, lookup, |calls| calls == one || calls == fixed);
    if single.is_empty() {
        return Err(format!("the tables of {keys:e} hashed keys have no filter").into());
    }
    let mut batches = series(&tables, lookup, |calls| calls == batch);
    batches.extend(memory(&tables));

    let rates = || sizes.iter().chain(&single).flat_map(|series| &series.points).map(|point| point.0);
    let (from, to) = (rates().fold(0.0, f64::max) * 1.4, rates().fold(1.0, f64::min) / 1.2);
    let ticks = tables.iter().map(|table| (table.rate, percent(table.rate))).collect();
    let x = Axis { from, to, logarithmic: true, ticks };
    let points = tables.iter().map(|table| (table.rate, -table.rate.log2())).collect();
    sizes.push(Series { name: "least possible".into(), role: Role::Limit, points });

    let mut svg = Svg::new(SIZE.0, SIZE.1);
    let title = format!("tepal beside other filters: {} keys", count(keys));
    svg.text((4.0, 26.0), Anchor::Start, TITLE, Role::Ink, &title);
    let cpu = cpu.map_or(String::new(), |cpu| format!(" One thread of {cpu}."));
    let note = format!("Blue: tepal. Grey: other libraries. Lower is better.{cpu}");
    svg.text((4.0, 50.0), Anchor::Start, NOTE, Role::Ink, &note);
    let frame = Frame { left: 0.0, top: 78.0, width: SIZE.0, height: 376.0 };
    let texts = ["Size: bits for each key", "No filter can be below the dashed line."];
    panel::draw(&mut svg, &frame, texts, &x, &linear(&sizes), &sizes);

    let y = logarithmic(single.iter().chain(&batches));
    let half = |left| Frame { left, top: 472.0, width: SIZE.0 / 2.0, height: 360.0 };
    let texts = ["One key at a time: nanoseconds a lookup", "Every filter is called once for each key."];
    panel::draw(&mut svg, &half(0.0), texts, &x, &y, &single);
    let texts = ["tepal in batches: nanoseconds a lookup", "Dashed: one memory read a key, ordinary pages."];
    panel::draw(&mut svg, &half(SIZE.0 / 2.0), texts, &x, &y, &batches);
    svg.finish(&title)
}

/// The filters that are called in such a way, each with one point for each size it has.
fn series(tables: &[&Table], height: fn(&Row) -> Option<f64>, called: impl Fn(&str) -> bool) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for row in tables.iter().flat_map(|table| &table.rows).filter(|row| called(&row.calls)) {
        let (Some(rate), Some(height)) = (row.rate, height(row)) else { continue };
        // One name for xorf's filters, which differ only in their bits.
        let name = row.name.trim_end_matches(char::is_numeric);
        let name = NAMES.iter().find(|(short, _)| *short == name).map_or(name, |(_, name)| name);
        let role = if name.starts_with("tepal") { Role::Tepal } else { Role::Peer };
        match all.iter_mut().find(|series| series.name == name) {
            // A filter that comes in few sizes is measured at two rates with one size.
            Some(series) if series.points.iter().any(|point| (point.0 / rate - 1.0).abs() < 0.15) => {}
            Some(series) => series.points.push((rate, height)),
            None => all.push(Series { name: name.into(), role, points: vec![(rate, height)] }),
        }
    }
    all
}

/// The fastest read of one line of memory for each key.
fn memory(tables: &[&Table]) -> Option<Series> {
    let limit = Calls::Limit.label();
    let fastest = |table: &&Table| {
        let lines = table.rows.iter().filter(|row| row.calls == limit && row.bits.is_some());
        let least = lines.map(|row| (row.hit + row.miss) / 2.0).min_by(f64::total_cmp);
        Some((table.rate, least?))
    };
    let points: Vec<_> = tables.iter().filter_map(fastest).collect();
    (!points.is_empty()).then(|| Series { name: "one memory read".into(), role: Role::Limit, points })
}

fn linear(all: &[Series]) -> Axis {
    let most = all.iter().flat_map(|series| &series.points).fold(0.0, |most, point| point.1.max(most));
    let ticks = (0..).map(|i| 10.0 * f64::from(i)).take_while(|bits| *bits <= most);
    let ticks = ticks.map(|bits| (bits, format!("{bits:.0}"))).collect();
    Axis { from: 0.0, to: most * 1.05, logarithmic: false, ticks }
}

fn logarithmic<'a>(all: impl Iterator<Item = &'a Series>) -> Axis {
    let times = all.flat_map(|series| &series.points).map(|point| point.1);
    let (least, most) = times.fold((f64::MAX, 0.0_f64), |(a, b), time| (a.min(time), b.max(time)));
    let (from, to) = (least / 1.3, most * 1.2);
    let ticks = TIMES.into_iter().filter(|time| (from..=to).contains(time));
    Axis { from, to, logarithmic: true, ticks: ticks.map(|time| (time, format!("{time}"))).collect() }
}

/// A rate with two digits, such as `1 %` and `0.0015 %`.
fn percent(rate: f64) -> String {
    let digits = (1.0 - (100.0 * rate).log10().floor()).max(0.0) as usize;
    let figure = format!("{:.digits$}", 100.0 * rate);
    let short =
        if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.') } else { &figure };
    format!("{short} %")
}

/// A number of keys as people say it.
fn count(keys: usize) -> String {
    match (keys / 1_000_000, keys / 1_000) {
        (millions, _) if millions > 0 && keys % 1_000_000 == 0 => format!("{millions} million"),
        (_, thousands) if thousands > 0 && keys % 1_000 == 0 => format!("{thousands},000"),
        _ => keys.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every picture in the repository, and the run that it shows.
    const PICTURES: [(&str, &str); 4] = [
        ("2026-11-20.md", "2026-11-20.svg"),
        ("2026-11-22.md", "2026-11-22.svg"),
        ("2026-11-23-frontier.md", "../../docs/choosing.svg"),
        ("2026-11-26.md", "2026-11-26.svg"),
    ];

    /// `finish` refuses texts that cover each other.
    #[test]
    fn pictures_are_drawn_from_the_kept_runs_and_no_label_covers_another() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        for (result, picture) in PICTURES {
            let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
            let drawn = draw(&read(result)).unwrap_or_else(|error| panic!("{result}: {error}"));
            assert!(drawn == read(picture), "{picture}: draw it again with `-- plot` from {result}");
        }
    }

    #[test]
    fn a_run_without_hashed_keys_is_refused() {
        let error = draw("# tepal beside its peers and the limits\n").expect_err("no table").to_string();
        assert!(error.contains("--kinds hashed"), "{error}");
        let title = format!("## 1e6 keys at 1 %: {}\n", crate::keys::Kind::Hashed.title());
        assert_eq!(
            draw(&title).expect_err("no row").to_string(),
            "the tables of 1e6 hashed keys have no filter"
        );
    }

    #[test]
    fn rates_and_numbers_read_well() {
        assert_eq!(
            [0.1, 0.01, 0.001, 1.0 / 256.0, 1.0 / 65_536.0].map(percent),
            ["10 %", "1 %", "0.1 %", "0.39 %", "0.0015 %"]
        );
        assert_eq!(
            [100_000, 1_000_000, 20_000_000, 12_345].map(count),
            ["100,000", "1 million", "20 million", "12345"]
        );
    }
}
