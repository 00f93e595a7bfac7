//! The server's functions, looked up by name when the module is loaded.
//!
//! These are the names and types of the server's public module interface. The crate `redis-module`
//! generates them with libclang, some 400 functions; the module uses the ones here.

#![allow(non_snake_case, reason = "the server's own names")]

use std::ffi::{CStr, c_char, c_double, c_int, c_longlong, c_void};
use std::sync::OnceLock;

use crate::server::Ctx;

pub(crate) const OK: c_int = 0;
pub(crate) const ERR: c_int = 1;
/// The version of the interface.
const VERSION: c_int = 1;

pub(crate) const READ: c_int = 1;
pub(crate) const WRITE: c_int = 2;
pub(crate) const KEY_EMPTY: c_int = 0;

/// The command came from the master or from the append-only file.
pub(crate) const REPLICATED: c_int = 1 << 12 | 1 << 13;
pub(crate) const RESP3: c_int = 1 << 22;

/// Errors of reading a value are told to the module, instead of ending the server.
const HANDLE_IO_ERRORS: c_int = 1;
/// A key that was opened for writing is not told to watchers unless the module says so.
const NO_IMPLICIT_SIGNAL: c_int = 2;

/// Any of the server's types, which the module only passes on.
pub(crate) type Opaque = *mut c_void;
pub(crate) type Name = *const c_char;
/// A command of the module.
pub(crate) type Command = unsafe extern "C" fn(Opaque, *const Opaque, c_int) -> c_int;

/// Declares the functions: `always` are in every supported server, `perhaps` in later ones.
macro_rules! functions {
    (
        always { $($name:ident: fn($($arg:ty),* $(; $rest:tt)?) $(-> $result:ty)?;)* }
        perhaps { $($later:ident: fn($($later_arg:ty),*) $(-> $later_result:ty)?;)* }
    ) => {
        /// The server's functions.
        pub(crate) struct Api {
            $(pub(crate) $name: unsafe extern "C" fn($($arg),* $(, $rest)?) $(-> $result)?,)*
            $(pub(crate) $later: Option<unsafe extern "C" fn($($later_arg),*) $(-> $later_result)?>,)*
        }

        impl Api {
            /// # Safety
            /// `get` is the server's function that finds functions.
            unsafe fn get(get: GetApi) -> Option<Api> {
                Some(Api {
                    $($name: {
                        let mut found: Opaque = std::ptr::null_mut();
                        let name = concat!("RedisModule_", stringify!($name), "\0");
                        // SAFETY: the caller's promise, and the name ends with a zero.
                        unsafe { get(name.as_ptr().cast(), &raw mut found) };
                        if found.is_null() {
                            return None;
                        }
                        // SAFETY: the server's function of this name has this type.
                        unsafe { std::mem::transmute::<Opaque, unsafe extern "C" fn($($arg),* $(, $rest)?) $(-> $result)?>(found) }
                    },)*
                    $($later: {
                        let mut found: Opaque = std::ptr::null_mut();
                        let name = concat!("RedisModule_", stringify!($later), "\0");
                        // SAFETY: as above.
                        unsafe { get(name.as_ptr().cast(), &raw mut found) };
                        // SAFETY: as above, and `None` is a null pointer.
                        unsafe { std::mem::transmute::<Opaque, Option<unsafe extern "C" fn($($later_arg),*) $(-> $later_result)?>>(found) }
                    },)*
                })
            }

            /// The names of the later functions that this server does not have.
            fn missing(&self) -> Vec<&'static str> {
                let mut missing = Vec::new();
                $(if self.$later.is_none() {
                    missing.push(stringify!($later));
                })*
                missing
            }
        }
    };
}

functions! {
    always {
        Alloc: fn(usize) -> Opaque;
        Free: fn(Opaque);
        MallocSize: fn(Opaque) -> usize;
        SetModuleAttribs: fn(Opaque, Name, c_int, c_int);
        IsModuleNameBusy: fn(Name) -> c_int;
        CreateCommand: fn(Opaque, Name, Command, Name, c_int, c_int, c_int) -> c_int;
        CreateDataType: fn(Opaque, Name, c_int, *const TypeMethods) -> Opaque;
        SetModuleOptions: fn(Opaque, c_int);
        Log: fn(Opaque, Name, Name; ...);
        GetContextFlags: fn(Opaque) -> c_int;
        Milliseconds: fn() -> c_longlong;
        CreateString: fn(Opaque, *const u8, usize) -> Opaque;
        FreeString: fn(Opaque, Opaque);
        StringPtrLen: fn(Opaque, *mut usize) -> *const u8;
        OpenKey: fn(Opaque, Opaque, c_int) -> Opaque;
        CloseKey: fn(Opaque);
        KeyType: fn(Opaque) -> c_int;
        ModuleTypeGetType: fn(Opaque) -> Opaque;
        ModuleTypeGetValue: fn(Opaque) -> Opaque;
        ModuleTypeSetValue: fn(Opaque, Opaque, Opaque) -> c_int;
        SignalModifiedKey: fn(Opaque, Opaque) -> c_int;
        WrongArity: fn(Opaque) -> c_int;
        ReplyWithLongLong: fn(Opaque, c_longlong) -> c_int;
        ReplyWithError: fn(Opaque, Name) -> c_int;
        ReplyWithSimpleString: fn(Opaque, Name) -> c_int;
        ReplyWithArray: fn(Opaque, isize) -> c_int;
        ReplyWithStringBuffer: fn(Opaque, *const u8, usize) -> c_int;
        ReplyWithNull: fn(Opaque) -> c_int;
        ReplyWithDouble: fn(Opaque, c_double) -> c_int;
        Replicate: fn(Opaque, Name, Name; ...) -> c_int;
        ReplicateVerbatim: fn(Opaque) -> c_int;
        GetServerInfo: fn(Opaque, Name) -> Opaque;
        ServerInfoGetFieldUnsigned: fn(Opaque, Name, *mut c_int) -> u64;
        FreeServerInfo: fn(Opaque, Opaque);
        SaveUnsigned: fn(Opaque, u64);
        LoadUnsigned: fn(Opaque) -> u64;
        SaveDouble: fn(Opaque, c_double);
        LoadDouble: fn(Opaque) -> c_double;
        SaveStringBuffer: fn(Opaque, *const u8, usize);
        LoadStringBuffer: fn(Opaque, *mut usize) -> *mut u8;
        IsIOError: fn(Opaque) -> c_int;
        LogIOError: fn(Opaque, Name, Name; ...);
        EmitAOF: fn(Opaque, Name, Name; ...);
        DigestAddStringBuffer: fn(Opaque, *const u8, usize);
        DigestEndSequence: fn(Opaque);
    }
    perhaps {
        TryAlloc: fn(usize) -> Opaque;
        ReplyWithBool: fn(Opaque, c_int) -> c_int;
        ReplyWithMap: fn(Opaque, isize) -> c_int;
    }
}

type GetApi = unsafe extern "C" fn(Name, *mut Opaque) -> c_int;

/// The callbacks of a data type, as the servers from 6.2 on know them.
#[repr(C)]
pub(crate) struct TypeMethods {
    pub(crate) version: u64,
    pub(crate) rdb_load: unsafe extern "C" fn(Opaque, c_int) -> Opaque,
    pub(crate) rdb_save: unsafe extern "C" fn(Opaque, Opaque),
    pub(crate) aof_rewrite: unsafe extern "C" fn(Opaque, Opaque, Opaque),
    pub(crate) mem_usage: unsafe extern "C" fn(Opaque) -> usize,
    pub(crate) digest: unsafe extern "C" fn(Opaque, Opaque),
    pub(crate) free: unsafe extern "C" fn(Opaque),
    pub(crate) aux_load: Option<unsafe extern "C" fn(Opaque, c_int, c_int) -> c_int>,
    pub(crate) aux_save: Option<unsafe extern "C" fn(Opaque, c_int)>,
    pub(crate) aux_save_triggers: c_int,
    pub(crate) free_effort: unsafe extern "C" fn(Opaque, Opaque) -> usize,
    pub(crate) unlink: Option<unsafe extern "C" fn(Opaque, Opaque)>,
    pub(crate) copy: unsafe extern "C" fn(Opaque, Opaque, Opaque) -> Opaque,
    pub(crate) defrag: Option<unsafe extern "C" fn(Opaque, Opaque, *mut Opaque) -> c_int>,
}

static API: OnceLock<Api> = OnceLock::new();

/// The server's functions, once the module is being loaded.
#[inline]
pub(crate) fn get() -> Option<&'static Api> {
    API.get()
}

/// The server's functions. Only a server calls the module, after it has loaded it.
#[inline]
pub(crate) fn api() -> &'static Api {
    match API.get() {
        Some(api) => api,
        None => unreachable!("only a server that has loaded the module calls it"),
    }
}

/// Looks the functions up. Allocates nothing.
///
/// # Safety
/// `ctx` is what a server passes to `RedisModule_OnLoad`.
pub(crate) unsafe fn load(ctx: Opaque) -> Result<(), ()> {
    // SAFETY: the context begins with the address of the function that finds functions.
    let find = unsafe { ctx.cast::<Option<GetApi>>().read() }.ok_or(())?;
    // SAFETY: as above.
    let found = unsafe { Api::get(find) }.ok_or(())?;
    API.set(found).map_err(drop)
}

/// Tells the server the module's name.
pub(crate) fn name(ctx: &Ctx, name: &CStr, version: c_int) -> Result<(), String> {
    let api = api();
    // SAFETY: the name ends with a zero.
    if unsafe { (api.IsModuleNameBusy)(name.as_ptr()) } != 0 {
        return Err("a module with this name is loaded already".into());
    }
    // SAFETY: the context is the server's, and the name ends with a zero.
    unsafe { (api.SetModuleAttribs)(ctx.raw(), name.as_ptr(), version, VERSION) };
    Ok(())
}

/// Tells the server what the module takes care of.
pub(crate) fn options(ctx: &Ctx) {
    // SAFETY: the context is the server's.
    unsafe { (api().SetModuleOptions)(ctx.raw(), HANDLE_IO_ERRORS | NO_IMPLICIT_SIGNAL) };
}

/// The later functions that this server does not have.
pub(crate) fn missing() -> Vec<&'static str> {
    api().missing()
}
