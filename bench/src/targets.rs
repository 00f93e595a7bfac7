//! The aims, and how far this run was from each. Nothing here changes what is measured: every
//! figure comes from the tables above.

use std::fmt::Write;

use crate::case::{Case, Group};
use crate::contender::Calls;
use crate::contenders::{
    BASE, FETCHED_AHEAD, FETCHED_IN_PIECES, LINE, SBBF_RS_SAFE, SHARED, SHARED_BASE, SHARED_BATCH,
    SPLIT_BLOCK,
};
use crate::keys::Kind;
use crate::measure::Row;
use crate::report::{Table, percent};

/// A row of a table: name and calls.
type Who = (&'static str, Calls);

/// Between which bounds a ratio of times is wanted.
#[derive(Clone, Copy)]
enum Aim {
    AtLeast(f64),
    AtMost(f64),
}

/// The time of `over` divided by the time of `under`, in one case.
struct Target {
    case: Case,
    over: Who,
    under: Who,
    /// For insert, hit and miss.
    aims: [Option<Aim>; 3],
}

const LINE_BATCH: Who = (LINE, Calls::Batch);
const ONE_PERCENT: f64 = 0.01;

fn hashed(keys: usize, rate: f64) -> Case {
    Case { group: Group::Alone(Kind::Hashed), keys, rate }
}

/// All aims, those of the layout `line` first.
fn targets() -> Vec<Target> {
    let at_least = |aims: [f64; 3]| aims.map(|aim| Some(Aim::AtLeast(aim)));
    let mut targets = Vec::new();
    for (keys, rate, aims) in [
        (100_000, ONE_PERCENT, [4.5, 4.3, 7.0]),
        (1_000_000, ONE_PERCENT, [6.0, 5.5, 8.0]),
        (20_000_000, ONE_PERCENT, [10.0, 9.0, 4.3]),
        (20_000_000, 0.001, [13.0, 12.0, 4.4]),
    ] {
        let (over, aims) = ((BASE, Calls::OneKey), at_least(aims));
        targets.push(Target { case: hashed(keys, rate), over, under: LINE_BATCH, aims });
    }
    targets.push(Target {
        case: hashed(100_000_000, ONE_PERCENT),
        over: (BASE, Calls::OneKey),
        under: (LINE, Calls::Bulk(1)),
        aims: [Some(Aim::AtLeast(18.0)), None, None],
    });
    for (keys, aim) in [(100_000, 1.5), (1_000_000, 1.5), (20_000_000, 2.0)] {
        for (under, aim) in [((SPLIT_BLOCK, Calls::Batch), aim), (LINE_BATCH, 1.0)] {
            let over = (SBBF_RS_SAFE, Calls::OneKey);
            targets.push(Target { case: hashed(keys, ONE_PERCENT), over, under, aims: at_least([aim; 3]) });
        }
    }
    for keys in [100_000, 1_000_000, 20_000_000, 100_000_000] {
        for (name, insert, lookup) in [(LINE, 1.7, 1.3), (SPLIT_BLOCK, 1.4, 1.1)] {
            let (over, under) = ((name, Calls::OneKey), (SBBF_RS_SAFE, Calls::OneKey));
            let aims = [insert, lookup, lookup].map(|aim| Some(Aim::AtMost(aim)));
            targets.push(Target { case: hashed(keys, ONE_PERCENT), over, under, aims });
        }
    }
    for (keys, rate) in [(20_000_000, ONE_PERCENT), (20_000_000, 0.001), (100_000_000, ONE_PERCENT)] {
        for limit in [FETCHED_IN_PIECES, FETCHED_AHEAD] {
            let aims = [None, Some(Aim::AtMost(1.1)), Some(Aim::AtMost(1.1))];
            let under = (limit, Calls::Limit);
            targets.push(Target { case: hashed(keys, rate), over: LINE_BATCH, under, aims });
        }
    }
    for name in [SHARED, SHARED_BATCH] {
        targets.push(Target {
            case: Case { group: Group::Shared, keys: 5_000_000, rate: ONE_PERCENT },
            over: (SHARED_BASE, Calls::Threads(2)),
            under: (name, Calls::Threads(2)),
            aims: at_least([3.0; 3]),
        });
    }
    targets
}

/// The section of the report: one line for each pair of rows.
pub(crate) fn section(tables: &[Table]) -> String {
    let mut text = String::from(
        "\n## Targets\n\nEach figure is the ratio of two times of one table above in the same round, the \
         median of all rounds. The rates stand in the same order, so that it can be seen whether they were equal.\n\n\
         | case | time of ... / time of ... | rates | insert | hit | miss |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for target in targets() {
        text += &target.line(tables);
    }
    text
}

impl Target {
    fn line(&self, tables: &[Table]) -> String {
        let table = tables.iter().find(|table| table.case == self.case);
        let row = |(name, calls): Who| -> Option<&Row> {
            table?.rows.iter().find(|row| row.name == name && row.calls == calls)
        };
        let (over, under) = (row(self.over), row(self.under));
        let who = |(name, calls): Who| format!("{name}, {}", calls.label());
        let what = format!("{} / {}", who(self.over), who(self.under));
        let rates: Vec<String> = [over, under].iter().flatten().filter_map(|r| r.rate).map(percent).collect();
        let mut text = format!("| {} | {what} | {} |", self.case.short(), rates.join(", "));
        for (i, aim) in self.aims.into_iter().enumerate() {
            let found = over.zip(under).map(|(a, b)| a.times()[i].over(b.times()[i]));
            let _ = match (aim, found) {
                (None, _) => write!(text, " |"),
                (Some(aim), None) => write!(text, " {}: not measured |", aim.text()),
                (Some(aim), Some(ratio)) => {
                    write!(text, " {}: {ratio:.2}, {} |", aim.text(), aim.verdict(ratio))
                }
            };
        }
        text + "\n"
    }
}

impl Aim {
    fn text(self) -> String {
        match self {
            Aim::AtLeast(aim) => format!("at least {aim}"),
            Aim::AtMost(aim) => format!("at most {aim}"),
        }
    }

    /// Met, or by how much of the aim it was missed.
    fn verdict(self, ratio: f64) -> String {
        let missed = match self {
            Aim::AtLeast(aim) => 1.0 - ratio / aim,
            Aim::AtMost(aim) => ratio / aim - 1.0,
        };
        if missed <= 0.0 { "met".into() } else { format!("**missed by {:.0} %**", (100.0 * missed).ceil()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_by_how_much() {
        assert_eq!(Aim::AtLeast(4.0).verdict(4.0), "met");
        assert_eq!(Aim::AtLeast(4.0).verdict(3.0), "**missed by 25 %**");
        assert_eq!(Aim::AtMost(1.1).verdict(1.05), "met");
        assert_eq!(Aim::AtMost(1.1).verdict(1.32), "**missed by 20 %**");
    }

    #[test]
    fn an_aim_without_its_table_says_so() {
        let text = section(&[]);
        assert!(text.contains("not measured") && !text.contains("met"));
    }
}
