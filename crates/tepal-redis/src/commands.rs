//! The commands: their names, what the server must know of them, and what runs them.

mod add;
#[cfg(feature = "bench")]
mod bench;
mod create;
mod cuckoo;
mod info;
mod lookup;
mod merge;
mod numbers;
mod packed;
mod transfer;

use std::ffi::{CStr, c_int};

use tepal::AnyFilter;
use tepal::facts::Window;

use crate::api::{self, Command, READ, WRITE, api};
use crate::reply::{Outcome, Refusal, WRONG_TYPE};
use crate::server::{self, Ctx, Found, Key, Text, caught};
use crate::settings;
use crate::value::{Held, Value};

/// What the server must know of a command.
struct Listed {
    name: &'static CStr,
    flags: &'static CStr,
    /// The last argument that is a key; the first is the first one.
    last_key: c_int,
    run: Command,
}

/// Lists commands, each with the function that runs it.
macro_rules! commands {
    ($($(#[$attr:meta])* $name:literal $flags:literal $last_key:literal => $run:path;)*) => {
        const COMMANDS: &[Listed] = &[$($(#[$attr])* {
            unsafe extern "C" fn run(ctx: api::Opaque, argv: *const api::Opaque, argc: c_int) -> c_int {
                // SAFETY: the server passes the context of this call.
                let ctx = unsafe { Ctx::new(ctx) };
                let outcome = caught(Err("ERR the module failed: please report this command".into()), || {
                    // SAFETY: the server passes the arguments of this call.
                    let args = unsafe { server::args(argv, argc) };
                    let name = args.get(1).copied().ok_or(Refusal::Arity)?;
                    $run(&ctx, name, &args[2..])
                });
                if let Err(refusal) = outcome {
                    ctx.refuse(&refusal);
                }
                api::OK
            }
            Listed { name: $name, flags: $flags, last_key: $last_key, run }
        },)*];
    };
}

commands! {
    c"BF.RESERVE" c"write deny-oom" 1 => create::bf_reserve;
    c"BF.ADD" c"write deny-oom fast" 1 => add::bf_add;
    c"BF.MADD" c"write deny-oom" 1 => add::bf_madd;
    c"BF.INSERT" c"write deny-oom" 1 => add::bf_insert;
    c"BF.EXISTS" c"readonly fast" 1 => lookup::exists;
    c"BF.MEXISTS" c"readonly fast" 1 => lookup::mexists;
    c"BF.CARD" c"readonly fast" 1 => info::card;
    c"BF.INFO" c"readonly fast" 1 => info::bf_info;
    c"BF.RATE" c"readonly" 1 => info::rate;
    c"BF.UPGRADE" c"readonly" 1 => info::upgrade;
    c"BF.SCANDUMP" c"readonly" 1 => transfer::scandump;
    c"BF.LOADCHUNK" c"write deny-oom" 1 => transfer::loadchunk;
    c"BF.LOAD" c"write deny-oom" 1 => transfer::load;
    c"BF.MERGE" c"write deny-oom" -1 => merge::merge;
    c"BF.EXISTSPACKED" c"readonly fast" 1 => packed::exists;
    c"BF.ADDPACKED" c"write deny-oom" 1 => packed::add;
    c"CF.RESERVE" c"write deny-oom" 1 => create::cf_reserve;
    c"CF.ADD" c"write deny-oom fast" 1 => cuckoo::add;
    c"CF.ADDNX" c"write deny-oom fast" 1 => cuckoo::addnx;
    c"CF.INSERT" c"write deny-oom" 1 => cuckoo::insert;
    c"CF.INSERTNX" c"write deny-oom" 1 => cuckoo::insertnx;
    c"CF.EXISTS" c"readonly fast" 1 => lookup::exists;
    c"CF.MEXISTS" c"readonly fast" 1 => lookup::mexists;
    c"CF.DEL" c"write fast" 1 => cuckoo::del;
    c"CF.COUNT" c"readonly fast" 1 => lookup::count;
    c"CF.COMPACT" c"write" 1 => cuckoo::compact;
    c"CF.INFO" c"readonly fast" 1 => info::cf_info;
    c"CF.SCANDUMP" c"readonly" 1 => transfer::scandump;
    c"CF.LOADCHUNK" c"write deny-oom" 1 => transfer::cf_loadchunk;
    #[cfg(feature = "bench")]
    c"TEPAL.REPLY" c"readonly fast" 1 => bench::reply;
}

/// Registers the commands.
pub(crate) fn register(ctx: &Ctx) -> Result<(), String> {
    for command in COMMANDS {
        // SAFETY: the context is the server's, and the texts end with zeros.
        let made = unsafe {
            (api().CreateCommand)(
                ctx.raw(),
                command.name.as_ptr(),
                command.run,
                command.flags.as_ptr(),
                1,
                command.last_key,
                1,
            )
        };
        if made != api::OK {
            return Err(format!(
                "the command {} is another module's: load this one in its place",
                command.name.to_string_lossy()
            ));
        }
    }
    Ok(())
}

/// The text of RedisBloom, or the one of valkey-bloom with `compat valkey`.
fn say(redisbloom: &'static str, valkey: &'static str) -> Refusal {
    if settings::get().valkey { valkey.into() } else { redisbloom.into() }
}

/// The value of a key, to read; `None` if there is no key.
fn read(ctx: &Ctx, name: Text) -> Result<Option<&'static Value>, Refusal> {
    match ctx.key(name, READ).found() {
        Found::Nothing => Ok(None),
        Found::Other => Err(WRONG_TYPE.into()),
        Found::Value(value) => Ok(Some(value.get())),
    }
}

/// The filter of a lookup; `None` if there is no key, or its filter is not complete.
fn asked(ctx: &Ctx, name: Text) -> Result<Option<&'static Held>, Refusal> {
    Ok(read(ctx, name)?.and_then(Value::held))
}

/// The key of a change, open, and its value if there is one.
fn opened(ctx: &Ctx, name: Text) -> Result<(Key, Option<&'static mut Value>), Refusal> {
    let key = ctx.key(name, READ | WRITE);
    match key.found() {
        Found::Nothing => Ok((key, None)),
        Found::Other => Err(WRONG_TYPE.into()),
        Found::Value(value) => Ok((key, Some(value.get_mut()))),
    }
}

/// Refuses a filter of this size, unless the command was accepted elsewhere. Nothing is allocated
/// yet.
fn check_size(ctx: &Ctx, bytes: u64) -> Outcome {
    /// Asking the server for its limit takes some microseconds.
    const SMALL: u64 = 1 << 20;
    if bytes <= SMALL || ctx.is_replicated() {
        return Ok(());
    }
    let most = settings::get().max_bytes;
    if bytes > most {
        return Err(Refusal::Text(
            format!(
                "ERR the filter has {bytes} bytes, expected at most {most}: load the module with a larger `max-bytes`"
            )
            .into(),
        ));
    }
    match ctx.maxmemory() {
        Some(most) if bytes > most => {
            Err(Refusal::Text(format!("ERR the filter has {bytes} bytes, and maxmemory is {most}").into()))
        }
        _ => Ok(()),
    }
}

/// Refuses a time, of a command or of the filter itself, that is ahead of this machine's clock by
/// more than a generation, unless the command was accepted elsewhere: nothing would expire until
/// then.
fn check_clock(ctx: &Ctx, filter: &AnyFilter, time: Option<u64>) -> Outcome {
    let Some(timed) = filter.as_timed() else { return Ok(()) };
    let (Window::Time(window), Some(time)) = (timed.window(), time.or(timed.now())) else {
        return Ok(());
    };
    let (now, generation) = (ctx.now(), window.div_ceil(timed.generations().into()));
    if time <= now.saturating_add(generation) || ctx.is_replicated() {
        return Ok(());
    }
    let text = format!(
        "ERR the time {time} is ahead of the server's clock, {now}, by more than {generation} seconds, and no item \
         would expire until then: give seconds since 1970 by a clock that is right"
    );
    Err(Refusal::Text(text.into()))
}

/// The largest filter that a command makes.
fn most_bytes(ctx: &Ctx) -> u64 {
    if ctx.is_replicated() { u64::MAX } else { settings::get().max_bytes }
}

/// The only argument.
fn only(args: &[Text]) -> Result<Text, Refusal> {
    match args {
        [one] => Ok(*one),
        _ => Err(Refusal::Arity),
    }
}

/// Refuses arguments after the key.
fn no_more(args: &[Text]) -> Outcome {
    if args.is_empty() { Ok(()) } else { Err(Refusal::Arity) }
}
