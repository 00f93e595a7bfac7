//! How much memory may be taken on this machine without being asked for.

use sysinfo::{MemoryRefreshKind, System};

/// The part of the free memory that is taken.
const SHARE: u64 = 8;

/// An eighth of the memory that is free: in the machine, in the control group (a container's
/// limit), and in what this process may address (`ulimit -v`). 0 if the system does not tell it,
/// for example because `/proc` is hidden or no file can be opened.
pub fn share() -> u64 {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let limits = if cfg!(target_os = "linux") { limits_of_linux() } else { Some(String::new()) };
    share_of(&system, limits.as_deref())
}

/// The share, by the figures that were read. Figures that could not be read are zeros and `None`.
fn share_of(system: &System, limits: Option<&str>) -> u64 {
    // With a total of zero `cgroup_limits` would panic.
    let Some(limits) = limits.filter(|_| system.total_memory() > 0) else { return 0 };
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    let own = address_space(limits).unwrap_or(u64::MAX);
    system.available_memory().min(group).min(own) / SHARE
}

fn limits_of_linux() -> Option<String> {
    std::fs::read_to_string("/proc/self/limits").ok()
}

/// What Linux's list of a process's limits says of its address space; nothing where there is no
/// limit.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_part_of_what_is_there() {
        let mut system = System::new();
        system.refresh_memory();
        let share = share();
        assert!(share <= system.total_memory() / SHARE, "{share} of {}", system.total_memory());
        assert!(share > 1 << 20 || !cfg!(target_os = "linux"), "{share}");
    }

    /// As in a chroot without `/proc`, under `ProcSubset=pid`, and where no file can be opened.
    #[test]
    fn nothing_is_taken_by_figures_that_cannot_be_read() {
        let unread = System::new();
        assert_eq!((share_of(&unread, Some("")), share_of(&unread, None)), (0, 0));
        let mut read = System::new();
        read.refresh_memory();
        assert_eq!(share_of(&read, None), 0);
        assert!(share_of(&read, Some("")) > 0 || read.available_memory() == 0);
    }

    #[test]
    fn the_limit_of_a_process() {
        let list = |value: &str| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax open files  1024  4096  files\nMax address space  {value}  bytes\n"
            )
        };
        assert_eq!(address_space(&list("409600000            unlimited")), Some(409_600_000));
        assert_eq!(address_space(&list("unlimited            unlimited")), None);
        assert_eq!(address_space(""), None);
    }
}
