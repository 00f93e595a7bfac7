//! `tepal uniq`: each line once, as soon as it comes.

mod print;
mod recent;
mod seen;
mod session;
mod state;

use std::io::{self, IsTerminal};

use serde::Serialize;

use self::print::Printer;
use self::recent::Recent;
use self::seen::{Seen, wrongly_held};
use self::session::{Session, keep};
use self::state::{Memory, State};
use crate::args::UniqArgs;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::input::source::Source;
use crate::output::{Lines, Stdout, say};
use crate::rows::{self, Origin};
use crate::secrets::Secrets;
use crate::text::number;
use crate::unsaid;

/// What `--json` prints with `--count-new`.
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
    // Of packed files it is too few, and soon known to be wrong.
    let len: Option<u64> = sources.iter().map(Source::file_len).sum();
    // A terminal that shows the lines shows no progress.
    let hidden = args.quiet || io::stdout().is_terminal();
    let mut rules = args.keys.rules(BadPolicy::Fail)?;
    args.empty.apply(&mut rules, false, args.recipe.trim);
    // An empty line is a line like all others.
    rules.empty.lines = false;
    let mut inputs = Inputs::new(sources.clone(), rules, args.keys.threads(), hidden)?;
    let forms = inputs.settle()?;
    let origin = Origin::of(inputs.rules(), &forms);
    if args.state.as_ref().is_none_or(|path| !path.exists()) {
        // Before a state is made.
        unsaid::refuse(&sources, inputs.rules(), args.keys.whole, None)?;
    }
    let mut state = match &args.state {
        Some(path) => Some(State::open(path, args, &secrets, &origin, inputs.rules().field.as_ref())?),
        None => None,
    };
    match (&args.state, state.as_ref().and_then(|state| state.rows.as_ref())) {
        (Some(path), Some(rows)) => {
            let mut rules = inputs.rules().clone();
            // As they were written when the state was made, unless flags say otherwise.
            let told = args.quiet || args.keys.field.is_some();
            rows::take_from(path, rows, &mut rules, told);
            rules.empty.fields &= !rows.empty;
            inputs.set_rules(rules);
        }
        _ => args.keys.check_field()?,
    }
    let whole = args.keys.whole || state.as_ref().is_some_and(|state| state.whole);
    unsaid::refuse(&sources, inputs.rules(), whole, args.state.as_deref())?;
    let seen = match state.as_mut().and_then(State::take) {
        Some(Memory::Chain(chain)) => Seen::Chain { chain, forgotten: Some(0) },
        Some(Memory::Window(filter)) => Seen::Window(Box::new(Recent::new(&args.memory(), *filter)?)),
        None if args.exact => Seen::exact(args)?,
        // A state that is only asked for may not be there.
        None => match Memory::empty(args, secrets.secret.as_ref(), Origin::default())? {
            Memory::Chain(chain) => Seen::Chain { chain, forgotten: args.state.as_ref().map(|_| 0) },
            Memory::Window(filter) => Seen::Window(Box::new(Recent::new(&args.memory(), *filter)?)),
        },
    };
    let before = keys_of(&seen);
    let out = Lines::new(inputs.rules().null);
    let work = seen.hash();
    let session = Session::new(Printer::new(args, seen, out, len), state);
    let is_done = session.printer.is_done();
    let (mut session, worked, signals) = keep(session, args.save_every(), |sink| match is_done {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &work, sink),
    })?;
    inputs.clear_progress();
    let unread = |session: &Session<'_>, failure| match failure {
        Failure::ClosedPipe => session.unread(),
        other => other,
    };
    if let Err(Failure::ClosedPipe) = worked {
        return Err(session.unread());
    }
    session.printer.flush().map_err(|failure| unread(&session, failure))?;
    let (passed, new, seen_before, keyless) = session.printer.totals();
    let totals = |seen: &Seen| Totals {
        new,
        seen: seen_before,
        keyless,
        bad_records: inputs.bad.records(),
        wrongly_held_back_estimated: match seen {
            Seen::Chain { chain, .. } => wrongly_held(chain, &before),
            Seen::Window(recent) => recent.wrongly_held(),
            Seen::Exact { .. } => 0.0,
        },
        false_positive_rate: seen.rate(),
        size_in_bytes: seen.bytes(),
    };
    if worked.is_ok() {
        if args.keys.warns_of_bad(BadPolicy::Fail, args.quiet) {
            inputs.bad.warn();
        }
        if args.count_new && args.json {
            Stdout::new().document(&totals(&session.printer.seen))?;
        } else if args.count_new {
            let mut stdout = Stdout::new();
            stdout.write(format!("{}\n", in_words(&totals(&session.printer.seen))).as_bytes())?;
            stdout.flush()?;
        } else if !args.quiet && io::stderr().is_terminal() {
            say(&in_words(&totals(&session.printer.seen)));
            rows::tell(&inputs, secrets.secret.is_some());
        }
    }
    let seen = &session.printer.seen;
    let full = (seen.forgotten() > 0 && !args.quiet).then(|| full(seen, args));
    // What was printed before a refused record stays printed, so it is remembered.
    session.save()?;
    worked?;
    if let Some(full) = full {
        return Err(full);
    }
    Ok(signals.code().unwrap_or(if passed > 0 { 0 } else { 1 }))
}

/// The failure of a run in which keys were not remembered.
fn full(seen: &Seen, args: &UniqArgs) -> Failure {
    let (name, forgotten) = (args.memory(), seen.forgotten());
    let then = match args.count_new {
        true => "so that repeats of them count as new",
        false => "so that the same keys pass again",
    };
    if let Seen::Window(recent) = seen {
        return recent.full(&name, then);
    }
    let keys = number::counted(forgotten, "new key");
    let are = if forgotten == 1 { "is" } else { "are" };
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
        Seen::Window(_) | Seen::Exact { .. } => Vec::new(),
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
