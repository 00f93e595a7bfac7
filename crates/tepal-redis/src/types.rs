//! The data types: the module's own, and those of RedisBloom and valkey-bloom, whose keys it takes
//! over. All hold a [`Value`].

use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use tepal::file::Format;

use crate::api::{Opaque, TypeMethods, api};
use crate::server::{Ctx, c_text, caught};
use crate::settings::Settings;
use crate::store;
use crate::value::{State, Value};

/// Why a cuckoo filter of RedisBloom is refused, from a file or from `CF.LOADCHUNK`.
pub(crate) const NO_CUCKOO: &str =
    "cuckoo filters of RedisBloom are not read; make a new one by CF.RESERVE, and add its items again";

/// A data type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Type {
    /// The module's own: filters of every kind, and filters that are not complete.
    Own,
    /// RedisBloom's Bloom filters.
    RedisBloom,
    /// valkey-bloom's.
    ValkeyBloom,
    /// RedisBloom's cuckoo filters, which are refused by name.
    Cuckoo,
}

const ALL: [Type; 4] = [Type::Own, Type::RedisBloom, Type::ValkeyBloom, Type::Cuckoo];

impl Type {
    /// The type of a filter's key.
    pub(crate) fn of(state: &State) -> Type {
        let legacy = match state {
            State::Loading(_) => return Type::Own,
            State::Whole(held) => match held.file.format() {
                Format::RedisBloom => Type::RedisBloom,
                Format::ValkeyBloom => Type::ValkeyBloom,
                _ => Type::Own,
            },
        };
        if raw(legacy).is_null() { Type::Own } else { legacy }
    }

    /// The name in the server's files, and the version of the bytes.
    fn name(self) -> (&'static CStr, c_int) {
        match self {
            Type::Own => (c"tepal-set", 1),
            Type::RedisBloom => (c"MBbloom--", 4),
            Type::ValkeyBloom => (c"bloomfltr", 1),
            Type::Cuckoo => (c"MBbloomCF", 0),
        }
    }

    fn methods(self) -> &'static TypeMethods {
        match self {
            Type::Own => &OWN,
            Type::RedisBloom => &REDISBLOOM,
            Type::ValkeyBloom => &VALKEY_BLOOM,
            Type::Cuckoo => &CUCKOO,
        }
    }
}

/// The types as the server registered them; null for a type that is not.
struct Registered([Opaque; ALL.len()]);

// SAFETY: the addresses are the server's, which only compares them.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

static REGISTERED: OnceLock<Registered> = OnceLock::new();

/// The server's type.
pub(crate) fn raw(of: Type) -> Opaque {
    REGISTERED.get().map_or(std::ptr::null_mut(), |types| types.0[of as usize])
}

/// Whether the type of a key is one of the module's.
pub(crate) fn is_ours(found: Opaque) -> bool {
    !found.is_null() && REGISTERED.get().is_some_and(|types| types.0.contains(&found))
}

/// Registers the types.
pub(crate) fn register(ctx: &Ctx, settings: &Settings) -> Result<(), String> {
    let mut types = [std::ptr::null_mut(); ALL.len()];
    for of in ALL {
        if of != Type::Own && settings.own_types {
            continue;
        }
        let (name, version) = of.name();
        // SAFETY: context, name and methods live as long as the server needs them.
        types[of as usize] =
            unsafe { (api().CreateDataType)(ctx.raw(), name.as_ptr(), version, of.methods()) };
        if types[of as usize].is_null() {
            return Err(format!(
                "the data type {} is another module's: load this one in its place, or with `types own`",
                name.to_string_lossy()
            ));
        }
    }
    let _ = REGISTERED.set(Registered(types));
    Ok(())
}

/// A value that the server holds.
///
/// # Safety
/// `value` is the value of a key of the module, and the call in progress is its only user.
unsafe fn value<'a>(value: Opaque) -> &'a Value {
    // SAFETY: the caller's promise.
    unsafe { &*value.cast::<Value>() }
}

const fn methods(
    load: unsafe extern "C" fn(Opaque, c_int) -> Opaque,
    save: unsafe extern "C" fn(Opaque, Opaque),
) -> TypeMethods {
    TypeMethods {
        version: 3,
        rdb_load: load,
        rdb_save: save,
        aof_rewrite,
        mem_usage,
        digest,
        free,
        aux_load: None,
        aux_save: None,
        aux_save_triggers: 0,
        free_effort,
        unlink: None,
        copy,
        defrag: None,
    }
}

static OWN: TypeMethods = methods(load_own, save_own);
static REDISBLOOM: TypeMethods = methods(load_redisbloom, save_foreign);
static VALKEY_BLOOM: TypeMethods = methods(load_valkey_bloom, save_foreign);
static CUCKOO: TypeMethods = methods(load_cuckoo, save_foreign);

/// Loads a value. A reason for refusing it is written to the log, and null tells the server.
fn loaded(
    io: Opaque,
    of: Type,
    version: c_int,
    read: impl FnOnce(&mut store::Input) -> Result<State, String>,
) -> Opaque {
    let (name, known) = of.name();
    let refuse = |reason: &str| {
        let line = c_text(&format!("a key of the type {} is refused: {reason}", name.to_string_lossy()));
        // SAFETY: the texts end with zeros, and the format takes one text.
        unsafe { (api().LogIOError)(io, c"warning".as_ptr(), c"%s".as_ptr(), line.as_ptr()) };
        std::ptr::null_mut()
    };
    let value = caught(Err("the module failed while reading it".into()), || {
        if version != known {
            return Err(format!("its encoding has the version {version}, expected {known}"));
        }
        Value::new(|| read(&mut store::Input(io)))
    });
    match value {
        Ok(value) => Box::into_raw(value).cast(),
        Err(reason) => refuse(&reason),
    }
}

unsafe extern "C" fn load_own(io: Opaque, version: c_int) -> Opaque {
    loaded(io, Type::Own, version, store::load_own)
}

unsafe extern "C" fn load_redisbloom(io: Opaque, version: c_int) -> Opaque {
    loaded(io, Type::RedisBloom, version, |io| store::load_foreign(io, Format::RedisBloom))
}

unsafe extern "C" fn load_valkey_bloom(io: Opaque, version: c_int) -> Opaque {
    loaded(io, Type::ValkeyBloom, version, |io| store::load_foreign(io, Format::ValkeyBloom))
}

unsafe extern "C" fn load_cuckoo(io: Opaque, _: c_int) -> Opaque {
    loaded(io, Type::Cuckoo, Type::Cuckoo.name().1, |_| Err(NO_CUCKOO.into()))
}

unsafe extern "C" fn save_own(io: Opaque, held: Opaque) {
    // SAFETY: the server passes a value of this type.
    let value = unsafe { value(held) };
    caught((), || store::save_own(&mut store::Output(io), &value.state));
}

unsafe extern "C" fn save_foreign(io: Opaque, held: Opaque) {
    // SAFETY: the server passes a value of this type.
    let value = unsafe { value(held) };
    caught((), || store::save_foreign(&mut store::Output(io), &value.state));
}

unsafe extern "C" fn aof_rewrite(io: Opaque, key: Opaque, held: Opaque) {
    // SAFETY: the server passes a value of this type.
    let value = unsafe { value(held) };
    caught((), || store::rewrite(&mut store::Output(io), key, &value.state));
}

unsafe extern "C" fn mem_usage(held: Opaque) -> usize {
    // SAFETY: the server passes a value of this type.
    unsafe { value(held) }.memory()
}

unsafe extern "C" fn digest(digest: Opaque, held: Opaque) {
    // SAFETY: the server passes a value of this type.
    let value = unsafe { value(held) };
    caught((), || store::digest(digest, &value.state));
}

unsafe extern "C" fn free(held: Opaque) {
    // SAFETY: the server gives the value up; it came from `Box::into_raw`.
    let value = unsafe { Box::from_raw(held.cast::<Value>()) };
    caught((), || drop(value));
}

/// How much work it is to free the value: large ones are left to the server's other thread.
unsafe extern "C" fn free_effort(_: Opaque, held: Opaque) -> usize {
    // SAFETY: the server passes a value of this type.
    1 + unsafe { value(held) }.memory() / 4096
}

unsafe extern "C" fn copy(_: Opaque, _: Opaque, held: Opaque) -> Opaque {
    // SAFETY: the server passes a value of this type.
    let value = unsafe { value(held) };
    caught(std::ptr::null_mut(), || Box::into_raw(value.copied()).cast())
}
