//! The module of tepal's page: functions over bytes in one buffer, without any binding generator.
//!
//! The page writes the input of a call to [`room`], calls, and reads the result at [`result`]:
//! JSON, a file, or lines. A call that fails returns `-1`; the result is the reason, as text. Every
//! rule of a filter is the library's.

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod about;
mod ask;
mod json;
mod make;
mod plan;
mod play;
mod records;
mod state;
mod words;

use alloc::string::ToString;

use json::Json;
use make::{Made, Making};
use records::{Place, Records};
use state::State;
use tepal::facts::Labels;
use tepal::file::Format;
use tepal::{Error, KeyDomain, Open, Scheme, SecretKey};
use words::Words;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Stops the module: the page shows that, and starts another one.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// The result of a call that failed.
const FAILED: f64 = -1.0;

/// Runs a call whose result is JSON.
fn answer<E: Words>(run: impl FnOnce(&mut State, &mut Json) -> Result<(), E>) -> f64 {
    state::with(|state| {
        let mut json = Json::default();
        match run(state, &mut json) {
            Ok(()) => state.give(json.0.into_bytes()),
            Err(error) => state.fail(&error),
        }
    })
}

/// Room for the input of the next call, at this address; null if there is no memory for it.
#[unsafe(no_mangle)]
pub extern "C" fn room(len: usize) -> *mut u8 {
    state::with(|state| state.room(len))
}

/// The address of the last result, which is as long as its call said.
#[unsafe(no_mangle)]
pub extern "C" fn result() -> *const u8 {
    state::with(|state| state.output.as_ptr())
}

/// The length of the reason why the last call failed.
#[unsafe(no_mangle)]
pub extern "C" fn reason_len() -> usize {
    state::with(|state| state.output.len())
}

/// A number that was given: NaN means that it was not.
fn given(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

fn wanted(keys: f64, rate: f64, bytes: f64, segments: f64, values: f64) -> plan::Wanted {
    // A cast of a number that is too large gives the largest.
    plan::Wanted {
        keys: given(keys).map(|keys| keys as u64),
        rate: given(rate),
        bytes: given(bytes).map(|bytes| bytes as u64),
        segments: segments as u64,
        values: values as u64,
    }
}

/// What each kind takes for two of keys, rate and size: a table, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn plan(keys: f64, rate: f64, bytes: f64, segments: f64, values: f64) -> f64 {
    answer::<Error>(|_, json| {
        plan::rows(&wanted(keys, rate, bytes, segments, values), json);
        Ok(())
    })
}

/// The curves of both plots, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn curves(keys: f64, rate: f64, segments: f64, values: f64) -> f64 {
    answer::<Error>(|_, json| {
        let wanted = wanted(keys, rate, f64::NAN, segments, values);
        plan::curves(keys as u64, rate, &wanted, json);
        Ok(())
    })
}

/// Draws a small filter. The input is lines: the kind, the key that is asked, and the keys.
#[unsafe(no_mangle)]
pub extern "C" fn play(find: u32) -> f64 {
    answer::<Error>(|state, json| {
        let input = alloc::string::String::from_utf8_lossy(&state.input);
        let mut lines = input.split('\n');
        let (kind, asked) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let keys: alloc::vec::Vec<&str> = lines.filter(|key| !key.is_empty()).collect();
        play::draw(kind, &keys, asked, find == 1, json)
    })
}

/// Takes the secret key of the file that is opened next: 32 hex digits, or nothing.
#[unsafe(no_mangle)]
pub extern "C" fn secret() -> f64 {
    state::with(|state| {
        let mut digits = core::mem::take(&mut state.input);
        let len = digits.len();
        digits.retain(|byte| !byte.is_ascii_whitespace());
        let key = (len > 0).then(|| SecretKey::from_hex(&digits)).transpose();
        // The page's text is gone from the module's memory then, also behind the digits.
        digits.resize(len, 0);
        digits.fill(0);
        core::hint::black_box(&mut digits);
        match key {
            Ok(key) => {
                state.secret = key;
                0.0
            }
            Err(error) => state.fail(&error),
        }
    })
}

/// Opens the file in the input. The number of its format is 0 if its mark tells it; the number of
/// its key domain is 0 if the file records it. Describes it as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn open(format: u32, domain: u32) -> f64 {
    answer(|state, json| {
        state.file = None;
        let bytes = core::mem::take(&mut state.input);
        let mut options = Open::new();
        if let Some(format) = Format::ALL.iter().find(|known| u32::from(known.id()) == format) {
            options = options.format(*format);
        }
        if let Some(domain) = KeyDomain::ALL.iter().find(|known| u32::from(known.id()) == domain) {
            options = options.key_domain(*domain);
        }
        // A file whose key is missing is described, and not asked.
        options = options.without_keys();
        let secret = state.secret.take();
        if let Some(secret) = &secret {
            options = options.secret_key(secret);
        }
        let file = options.from_bytes(&bytes)?;
        about::describe(&file, secret.is_none() && file.scheme() == Scheme::SipHash13, json)?;
        state.file = Some(file);
        Ok::<_, Error>(())
    })
}

/// Looks up the key in the input, in full, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn lookup() -> f64 {
    answer(|state, json| {
        let Some(file) = &state.file else { return Err("no file is open") };
        ask::one(file, &state.input, json);
        Ok(())
    })
}

/// The first records of the list in the input, and their delimiter (0 if there is none), as JSON.
/// `named` is a delimiter that was chosen, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn preview(named: u32) -> f64 {
    answer(|state, json| records::preview(&state.input, named as u8, json))
}

/// Starts a list. `delimiter` is 0 if its lines are the keys; `second` is the column of segments or
/// values, or negative.
#[unsafe(no_mangle)]
pub extern "C" fn list(delimiter: u32, column: u32, second: i32, has_header: u32) {
    state::with(|state| {
        let place = Place {
            delimiter: delimiter as u8,
            column: column as usize,
            second: usize::try_from(second).ok(),
            has_header: has_header == 1,
        };
        state.records = Records::new(place);
        (state.asked, state.found) = (0, 0);
    });
}

/// Looks up the next piece of the list, which is in the input. `output` chooses what is written:
/// 0 nothing, 1 records that are perhaps in, 2 records that are surely not in, 3 answers, 4 answers
/// behind a mark that tells a name such as `none` from no answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask(output: u32, is_last: u32) -> f64 {
    let output = match output {
        1 => ask::Output::Members,
        2 => ask::Output::Others,
        3 => ask::Output::Answers,
        4 => ask::Output::Marked,
        _ => ask::Output::Count,
    };
    state::with(|state| {
        let batch = match state.records.take(&state.input, is_last == 1) {
            Ok(batch) => batch,
            Err(reason) => return state.fail(&reason),
        };
        let Some(file) = &state.file else { return state.fail(&"no file is open") };
        let mut out = core::mem::take(&mut state.output);
        out.clear();
        state.asked += batch.records.len() as u64;
        state.found += ask::answer(file, &batch, output, &mut out);
        state.give(out)
    })
}

/// The number of records so far.
#[unsafe(no_mangle)]
pub extern "C" fn asked() -> f64 {
    state::with(|state| state.asked as f64)
}

/// The number of records so far that are perhaps in.
#[unsafe(no_mangle)]
pub extern "C" fn found() -> f64 {
    state::with(|state| state.found as f64)
}

/// Starts a filter. The input is lines: the kind or format, the source of the keys, the date, the
/// field, and the syntax of rows; a text that is empty is not recorded.
#[unsafe(no_mangle)]
pub extern "C" fn make(rate: f64) -> f64 {
    state::with(|state| {
        let input = alloc::string::String::from_utf8_lossy(&state.input).to_string();
        let mut lines = input.split('\n');
        let made = lines.next().and_then(Made::with_name);
        let mut labels = Labels::new();
        let mut text = || lines.next().filter(|text| !text.is_empty());
        if let Some(source) = text() {
            labels = labels.source(source);
        }
        if let Some(date) = text() {
            labels = labels.date(date);
        }
        if let Some(field) = text() {
            labels = labels.field(field);
        }
        if let Some(rows) = text() {
            labels = labels.rows(rows);
        }
        let Some(made) = made else { return state.fail(&"no such kind of filter") };
        match Making::new(made, rate, labels) {
            Ok(making) => {
                state.making = Some(making);
                0.0
            }
            Err(error) => state.fail(&error),
        }
    })
}

/// Takes the next piece of the list, which is in the input. Returns the number of records so far.
#[unsafe(no_mangle)]
pub extern "C" fn add(is_last: u32) -> f64 {
    state::with(|state| {
        let batch = match state.records.take(&state.input, is_last == 1) {
            Ok(batch) => batch,
            Err(reason) => return state.fail(&reason),
        };
        let Some(making) = &mut state.making else { return state.fail(&"no filter is being made") };
        match making.take(&batch) {
            Ok(()) => making.records as f64,
            Err(error) => state.fail(&error),
        }
    })
}

/// Makes the filter of all keys, and describes it as JSON. Its bytes wait for [`bytes`].
#[unsafe(no_mangle)]
pub extern "C" fn finish() -> f64 {
    answer(|state, json| {
        let Some(making) = state.making.take() else { return Ok(()) };
        let file = making.finish()?;
        about::describe(&file, false, json)?;
        state.made = Some(file);
        Ok::<_, Error>(())
    })
}

/// The bytes of the filter that was made, which is gone then.
#[unsafe(no_mangle)]
pub extern "C" fn bytes() -> f64 {
    state::with(|state| match state.made.take().map(|file| file.to_bytes()) {
        Some(Ok(bytes)) => state.give(bytes),
        Some(Err(error)) => state.fail(&error),
        None => state.fail(&"no filter was made"),
    })
}
