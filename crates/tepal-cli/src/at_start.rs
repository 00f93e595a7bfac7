//! What this process was given when it started: whether standard output is open, and which signals
//! are ignored. The only file of the command with `unsafe`.
#![allow(unsafe_code, reason = "two questions to the system for which no crate has a safe call")]

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc;
use nix::sys::signal::Signal;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before `main`, and before the standard library opens `/dev/null` in the place of a closed
/// stream.
// SAFETY: the linker's section holds functions that the C library calls once, in the only thread.
// `look` needs nothing that is set up later.
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: the call reads a flag of the descriptor, and fails if there is no such descriptor.
    let found = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(found == -1, Ordering::Relaxed);
}

/// Was standard output closed (`>&-`)?
pub fn stdout_is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Is the signal ignored, as after `nohup`, or in a script's job in the background?
pub fn is_ignored(signal: Signal) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only writes the present one to `action`.
    let found = unsafe { libc::sigaction(signal as libc::c_int, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: zeros are a valid `sigaction`, and so is what the system has written.
    let action = unsafe { action.assume_init() };
    found == 0 && action.sa_sigaction == libc::SIG_IGN
}
