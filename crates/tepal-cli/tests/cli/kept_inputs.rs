//! No verb writes over what it reads, even with `--force`.

use crate::place::{Place, numbers};

#[test]
fn an_output_that_is_read_is_kept() {
    let place = Place::new();
    place.build("old", &numbers(0..100), "-n 200");
    place.build("new", &numbers(0..110), "-n 200");
    place.build("table", &numbers(0..100), "--deletable");
    for name in ["keys", "members", "strangers"] {
        place.write(name, numbers(0..50));
    }
    place.write("secret", "sixteen secrets!");
    assert_eq!(place.run("diff old new -o patch").code, 0);
    let files = ["old", "new", "table", "keys", "members", "strangers", "secret", "patch"];
    let before = files.map(|name| place.read(name));
    for (args, what) in [
        ("diff old new -o old", "a filter"),
        ("diff old new -o new", "a filter"),
        ("patch old patch -o patch", "the patch"),
        ("build keys -o keys", "a list of keys"),
        ("build keys --exact-on strangers -o strangers", "a list of keys"),
        ("build keys --secret secret -o secret", "a key"),
        ("add old keys -o keys", "a list of keys"),
        ("except old strangers --members members -o strangers", "a list of keys"),
        ("except old strangers --members members -o members", "a list of keys"),
        ("remove table keys -o keys", "a list of keys"),
        ("remove table keys --members members -o members", "a list of keys"),
    ] {
        let ran = place.run(&format!("{args} --force"));
        let expected = format!("read here as {what}, which the output would replace");
        assert!(ran.code == 2 && ran.err.contains(&expected), "{args}: {}", ran.err);
        assert!(files.map(|name| place.read(name)) == before, "{args}: a file is another one");
    }
    assert_eq!(place.names().len(), files.len());
}
