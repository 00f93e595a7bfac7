//! Keeps the version of the compiler, so that a table can say what built the code it timed.

use std::env::var;
use std::process::Command;

fn main() {
    let rustc = var("RUSTC").expect("cargo names the compiler");
    let output = Command::new(rustc).arg("-V").output().expect("the compiler runs");
    let version = String::from_utf8(output.stdout).expect("a version is text");
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
