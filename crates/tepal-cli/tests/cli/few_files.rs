//! Every verb where it may open six files, three of which are its streams.

use crate::limits::shell;
use crate::place::{Place, numbers};

/// It does its work, or says which file it cannot open. It never panics.
#[test]
fn every_verb_under_a_limit_of_open_files() {
    let place = Place::new();
    place.write("list", numbers(0..100_000));
    place.write("more", numbers(50_000..150_000));
    place.write("absent", numbers(200_000..210_000));
    place.write("rows.csv", (0..100).map(|n| format!("{n},{}\n", n % 7)).collect::<String>());
    assert_eq!(place.run("build -q list -n 200000 -o f").code, 0);
    assert_eq!(place.run("build -q more -n 200000 -o g").code, 0);
    assert_eq!(place.run("build -q list -n 200000 -o h").code, 0);
    assert_eq!(place.run("build -q rows.csv -f 1 --map 2 -o map").code, 0);
    assert_eq!(place.run("build -q list --deletable -n 200000 -o table").code, 0);
    assert_eq!(place.run("diff -q f g -o patch").code, 0);
    let verbs = [
        "build list -o new",
        "build list --memory 1MiB -o new --force",
        "build list --static -o new --force",
        "build list --exact-on more -o new --force",
        "build list --window 7d -o new --force",
        "build list --growing -o new --force",
        "build rows.csv -f 1 --by 2 -o new --force",
        "add h list",
        "remove table list -o new --force",
        "has -c f more",
        "has -c f --in g --in table -- more",
        "which f g -c -- more",
        "get map rows.csv -f 1",
        "uniq more",
        "uniq more --state state",
        "uniq more --state window --window 7d",
        "info f g",
        "plan -n 1M",
        "merge f g -o new --force",
        "except f absent -o new --force --members list",
        "diff f g -o new --force",
        "patch f patch -o new --force",
        "shrink f -p 50% -o new --force",
        "convert f --to tepal -o new --force",
        "verify f g",
        "test f --members list --absent more",
        "demo -n 1000 --dir demo",
        "completions bash",
        "man has",
    ];
    let help = place.run("--help").text().to_owned();
    let listed = help.lines().skip_while(|line| *line != "Commands:").take_while(|line| *line != "Options:");
    let names: Vec<&str> = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(verbs.iter().any(|line| line.split(' ').next() == Some(name)), "{name} is not tried");
    }
    let mut done = 0;
    for args in verbs {
        for limit in [5, 6, 8] {
            let ran = shell(&place, &format!("ulimit -n {limit}; exec \"$TEPAL\" {args}"));
            let told = ran.err.contains("oo many open files") && ran.code == 2;
            assert!(told || matches!(ran.code, 0 | 1), "{args}, {limit} files: {} {}", ran.code, ran.err);
            assert!(!ran.err.contains("panicked"), "{args}, {limit} files: {}", ran.err);
            done += u32::from(!told);
        }
    }
    assert!(done > 60, "only {done} runs did their work");
}
