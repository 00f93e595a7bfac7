//! What the figures were measured on: read from Linux's `/proc` and `/sys`, left out where there is
//! none.

use std::fs::read_to_string;

/// One line for each fact, as a Markdown list.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    let mut facts = vec![format!("{}, {cores} cores for this process", cpu_model())];
    let caches: Vec<String> = (0..).map_while(cache).collect();
    if !caches.is_empty() {
        facts.push(format!("caches of core 0: {}", caches.join(", ")));
    }
    if let Some(pages) = line_of("/sys/kernel/mm/transparent_hugepage/enabled") {
        facts.push(format!("transparent huge pages: {pages}"));
    }
    if let Some(load) = line_of("/proc/loadavg") {
        facts.push(format!("load average at the start: {load}"));
    }
    facts.push(env!("BENCH_RUSTC").to_string());
    facts.iter().map(|fact| format!("- {fact}\n")).collect()
}

fn line_of(path: &str) -> Option<String> {
    Some(read_to_string(path).ok()?.lines().next()?.to_string())
}

/// The name of the CPU, or at least of its kind.
pub(crate) fn cpu_model() -> String {
    let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or(std::env::consts::ARCH, |(_, name)| name).to_string()
}

/// Level, kind and size of one cache of the first core, such as `L1 Data 48K`.
fn cache(index: usize) -> Option<String> {
    let of = |name| line_of(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
    Some(format!("L{} {} {}", of("level")?, of("type")?, of("size")?))
}
