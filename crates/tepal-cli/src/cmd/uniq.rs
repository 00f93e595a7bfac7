//! `tepal uniq`: each line once, as soon as it comes.

mod print;
mod seen;
mod state;

use std::io::{self, IsTerminal};
use std::path::Path;

use serde::Serialize;

use self::print::Printer;
use self::seen::{Seen, empty_chain, wrongly_held};
use self::state::State;
use crate::args::UniqArgs;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::input::source::Source;
use crate::output::{Lines, Stdout, say};
use crate::rows::{self, Rows};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// What `--json` prints with `-c`.
#[derive(Serialize)]
struct Totals {
    /// Different keys that were not seen before.
    new: u64,
    /// Lines whose key was seen before, or looked so.
    seen: u64,
    /// Blank rows, which have no key and pass.
    keyless: u64,
    /// Records whose key cannot be told, left out by `--bad`.
    bad_records: u64,
    /// About how many of the seen were new.
    wrongly_held_back_estimated: f64,
    /// The chance now that a new line would be held back.
    false_positive_rate: f64,
    /// Bytes of memory for what was seen.
    size_in_bytes: u64,
}

/// Runs the verb.
pub fn run(args: &UniqArgs) -> Outcome {
    args.check()?;
    let secrets = Secrets::from_files(args.secret.as_deref(), args.seal.as_deref(), args.quiet)?;
    let sources = Source::list(&args.inputs);
    let mut rules = args.keys.rules(BadPolicy::Fail)?;
    let label = Rows::label(&rules, &sources);
    let mut state = match &args.state {
        Some(path) => Some(State::open(path, args, &secrets, label)?),
        None => None,
    };
    match (&args.state, state.as_ref().and_then(|state| state.rows.as_ref())) {
        (Some(path), Some(rows)) => {
            // As they were written when the state was made, unless flags say otherwise.
            let told = args.quiet || args.keys.field.is_some();
            rows::take_from(path, rows, &mut rules, told);
        }
        _ => args.keys.check_field()?,
    }
    let chain = state.as_mut().and_then(State::take_chain);
    let mut seen = match chain {
        Some(chain) => Seen::Chain { chain, forgotten: Some(0) },
        None if args.exact => Seen::exact(args)?,
        None => {
            // A state that is only asked for may not be there.
            let forgotten = args.state.as_ref().map(|_| 0);
            Seen::Chain { chain: empty_chain(args, secrets.secret.as_ref(), None)?, forgotten }
        }
    };
    let before = keys_of(&seen);
    // Of packed files it is too few, and soon known to be wrong.
    let len: Option<u64> = sources.iter().map(Source::file_len).sum();
    // A terminal that shows the lines shows no progress.
    let hidden = args.quiet || io::stdout().is_terminal();
    let out = Lines::new(rules.null);
    let mut inputs = Inputs::new(sources, rules, args.keys.threads(), hidden)?;
    let work = seen.hash();
    let mut printer = Printer::new(args, &mut seen, out, len);
    let worked = match printer.is_done() {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &work, &mut printer),
    };
    inputs.clear_progress();
    if let Err(Failure::ClosedPipe) = worked {
        // Nobody knows which lines were read.
        return Err(Failure::ClosedPipe);
    }
    printer.flush()?;
    let (passed, new, seen_before, keyless) = printer.totals();
    let totals = |seen: &Seen| Totals {
        new,
        seen: seen_before,
        keyless,
        bad_records: inputs.bad.records(),
        wrongly_held_back_estimated: match seen {
            Seen::Chain { chain, .. } => wrongly_held(chain, &before),
            Seen::Exact { .. } => 0.0,
        },
        false_positive_rate: seen.rate(),
        size_in_bytes: seen.bytes(),
    };
    if worked.is_ok() {
        if args.keys.warns_of_bad(BadPolicy::Fail, args.quiet) {
            inputs.bad.warn();
        }
        if args.count && args.json {
            Stdout::new().document(&totals(&seen))?;
        } else if args.count {
            let mut stdout = Stdout::new();
            stdout.write(format!("{}\n", in_words(&totals(&seen))).as_bytes())?;
            stdout.flush()?;
        } else if !args.quiet && io::stderr().is_terminal() {
            say(&in_words(&totals(&seen)));
        }
    }
    let forgotten = seen.forgotten();
    let full =
        args.state.as_ref().filter(|_| forgotten > 0 && !args.quiet).map(|path| full(path, &seen, args));
    // What was printed before a refused record stays printed, so it is remembered.
    if let (Some(state), Seen::Chain { chain, .. }) = (state, seen) {
        state.save(chain, passed, new - forgotten)?;
    }
    worked?;
    if let Some(full) = full {
        return Err(full);
    }
    Ok(if passed > 0 { 0 } else { 1 })
}

/// The failure of a run whose state could not grow.
fn full(path: &Path, seen: &Seen, args: &UniqArgs) -> Failure {
    let (name, forgotten) = (shown(path), seen.forgotten());
    let keys = number::counted(forgotten, "new key");
    let are = if forgotten == 1 { "is" } else { "are" };
    let then = match args.count {
        true => "so that repeats of them count as new",
        false => "so that the same keys pass again",
    };
    let held = keys_of(seen).iter().sum();
    Failure::at(
        &name,
        format!(
            "{keys} {are} not remembered, {then}: it is full, with {}. Its filters leave too little of its rate for another, or are \
             the 64 that a file can have. Go on with another state, of a higher rate (-p) or with more keys from the first (-n), \
             and ask both: tepal has -v {name} LINES | tepal uniq --state OTHER",
            number::counted(held, "key")
        ),
    )
}

/// How many keys each link holds.
fn keys_of(seen: &Seen) -> Vec<u64> {
    match seen {
        Seen::Chain { chain, .. } => {
            chain.links().iter().map(|link| link.keys_inserted().unwrap_or(0)).collect()
        }
        Seen::Exact { .. } => Vec::new(),
    }
}

/// The totals as a line.
fn in_words(totals: &Totals) -> String {
    let mut text = format!("{} new, {} seen before", number::count(totals.new), number::count(totals.seen));
    if totals.keyless > 0 {
        text += &format!(", {} without a key", number::count(totals.keyless));
    }
    match totals.wrongly_held_back_estimated {
        0.0 => text,
        wrong => {
            let wrong =
                if wrong < 0.5 { "none".to_owned() } else { number::count(number::four_digits(wrong)) };
            format!(
                "{text}; about {wrong} wrongly held back ({} now)",
                number::rate(totals.false_positive_rate)
            )
        }
    }
}
