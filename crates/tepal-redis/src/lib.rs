//! A module for Redis 6.2 to 7.4 and Valkey: filters as keys, for the commands `BF.*` and `CF.*`.
//!
//! The server gives persistence, replication, cluster, ACL and eviction; the library gives filters
//! and formats. In between: [`api`] names the server's functions, and [`memory`] allocates through
//! them. [`server`] wraps a call's context, arguments and key; [`reply`] writes answers, and
//! [`words`] has the texts of the library's errors. [`value`] is what a key holds; [`add`] and [`ask`]
//! are its two uses, and [`loading`] is a value whose pieces arrive by `LOADCHUNK`. [`types`] and
//! [`store`] are the data types and their bytes in the server's files, [`commands`] the commands,
//! [`settings`] the arguments of `--loadmodule`.

#![cfg_attr(test, allow(dead_code, reason = "unit tests use the system's allocator"))]

mod add;
mod api;
mod ask;
mod commands;
mod loading;
mod memory;
mod reply;
mod server;
mod settings;
mod store;
mod types;
mod value;
mod words;

use std::ffi::{c_int, c_void};

use server::{Ctx, caught};

/// The server allocates for the module, so that its limits and figures count filters too.
#[cfg(not(test))]
#[global_allocator]
static MEMORY: memory::ServerMemory = memory::ServerMemory;

/// The server calls this once, when it loads the module.
///
/// # Safety
/// `ctx` and `argv` are what a server passes to a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RedisModule_OnLoad(
    ctx: *mut c_void,
    argv: *const *mut c_void,
    argc: c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    if unsafe { api::load(ctx) }.is_err() {
        return api::ERR;
    }
    caught(api::ERR, || {
        // SAFETY: the caller's promise.
        let ctx = unsafe { Ctx::new(ctx) };
        // SAFETY: as above.
        let args = unsafe { server::args(argv, argc) };
        match load(&ctx, args) {
            Ok(()) => api::OK,
            Err(reason) => {
                ctx.log("warning", &reason);
                api::ERR
            }
        }
    })
}

/// Registers the module's types and commands.
fn load(ctx: &Ctx, args: &[server::Text]) -> Result<(), String> {
    api::name(ctx, c"tepal", 1)?;
    let settings = settings::Settings::read(args)?;
    api::options(ctx);
    types::register(ctx, &settings)?;
    commands::register(ctx)?;
    let missing = api::missing();
    if !missing.is_empty() {
        ctx.log("notice", &format!("this server has no {}; the module does without", missing.join(", ")));
    }
    settings::set(settings);
    Ok(())
}
