//! A filter keeps from which field of which rows it was built, and every verb that reads records
//! takes their keys from there.

use crate::place::Place;

const MAIL: &str = "id,email,note\n1,a@x.org,\"one, two\"\n2,\"b@x.org\",\n3,c@x.org,x\n";

#[test]
fn every_verb_reads_the_rows_that_the_filter_was_built_from() {
    let place = Place::new();
    place.write("mail.csv", MAIL);
    place.write("mail.txt", MAIL);
    place.write("more.csv", "email,id\nd@x.org,4\n");
    place.write("semi", MAIL.replace(',', ";"));
    place.write("ids.tsv", "1\tx\n2\ty\n");
    place.write("nul", "x\t1\0y\nz\t2\0");
    place.write("json", "{\"u\":{\"id\":1}}\n{\"u\":{\"id\":\"x\"}}\n");
    for (build, list, rows, json) in [
        ("-f email", "mail.csv", "field \"email\" of CSV rows", ["csv", ",", "false"]),
        ("-f 2 --csv --header", "mail.txt", "field 2 of CSV rows", ["csv", ",", "false"]),
        ("-f email --csv -d ;", "semi", "field \"email\" of CSV rows between ';'", ["csv", ";", "false"]),
        ("-f 1", "ids.tsv", "field 1 of rows between tabs", ["plain", "\t", "false"]),
        ("-0 -f 2", "nul", "field 2 of rows between tabs that end with NUL", ["plain", "\t", "true"]),
        ("-f /u/id", "json", "field \"/u/id\" of JSON lines", ["json", "null", "false"]),
    ] {
        assert_eq!(
            place.run(&format!("build -q -n 99 --force -p 1e-9 -o f {build} {list}")).code,
            0,
            "{build}"
        );
        let skip = if build.contains("--header") { "--header" } else { "" };
        let tested = place.run(&format!("test f --members {list} {skip}"));
        assert_eq!(
            (tested.code, tested.err),
            (0, String::new()),
            "{build}: {}",
            String::from_utf8_lossy(&tested.out)
        );
        let keys = if list.starts_with("mail") || list == "semi" { 3 } else { 2 };
        for args in [format!("has -c f {list} {skip}"), format!("which f {skip} -- {list}")] {
            let ran = place.run(&args);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
            let (out, count) = (String::from_utf8(ran.out).unwrap(), format!("{keys}\n"));
            assert!(
                if args.starts_with("has") { out == count } else { !out.contains("none") },
                "{args}: {out}"
            );
        }
        let added = place.run(&format!("add f {list} {skip}"));
        assert!(
            added.code == 0 && added.err.starts_with(&format!("{keys} keys added; about 0 new; ")),
            "{}",
            added.err
        );
        // Keys are keys.
        assert_eq!(place.run(&format!("has -q f {list} {skip}")).quiet(), (0, &b""[..]));
        let member = ["a@x.org", "1"][usize::from(keys == 2)];
        assert_eq!(place.run(&format!("has -c f -e {member}")).quiet(), (0, &b"1\n"[..]), "{build}");
        let info = place.run("info --json f").json();
        let text =
            |name: &str| info[0][name].as_str().map_or_else(|| info[0][name].to_string(), str::to_owned);
        assert_eq!([text("row_format"), text("delimiter"), text("nul_records")], json);
        let shown = place.run("info f");
        assert!(shown.text().contains(&format!("recipe      {rows}\n")), "{}", shown.text());
    }
    // Columns in another order, and a file whose name says how it is written.
    place.build("f", MAIL.as_bytes(), "--csv -f email --force -n 99");
    assert_eq!(place.run("add -q f more.csv").code, 0);
    assert_eq!(place.run("has f more.csv mail.csv -q").code, 0);
    assert_eq!(place.run("has -c f more.csv mail.csv").text(), "more.csv:1\nmail.csv:3\n");
    place.write("more.tsv", "email\tid\nd@x.org\t4\n");
    assert_eq!(place.run("has -c f more.tsv").text(), "1\n");
    assert_eq!(place.run("has -c f --tsv mail.csv").code, 2);
    place.write("semi.csv", MAIL.replace(',', ";"));
    place.build("g", MAIL.replace(',', ";").as_bytes(), "--csv -d ; -f email");
    assert_eq!(place.run("has -c g semi.csv").text(), "3\n");
}

#[test]
fn flags_say_otherwise() {
    let place = Place::new();
    place.write("mail.csv", MAIL);
    place.build("f", b"", "-f email mail.csv -n 99");
    place.write("list", "a@x.org\nno\n");
    assert_eq!(place.run("has f list --whole").quiet(), (0, &b"a@x.org\n"[..]));
    let ran = place.run("has f list");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.ends_with(
            "; the filter was built from that field: where whole lines are the keys, add --whole\n"
        ),
        "{}",
        ran.err
    );
    assert_eq!(place.run("add -q f list --whole").code, 0);
    assert_eq!(place.run("has -c f -e no").text(), "1\n");
    assert_eq!(place.run("test -q f --members list --whole").code, 0);
    // Another column of another file.
    let ran = place.run_with("has f -f 3 -d ;", b"x;y;c@x.org\n");
    assert_eq!((ran.code, ran.text()), (0, "x;y;c@x.org\n"));
    assert_eq!(place.run("has -c f -f email mail.csv").quiet(), (0, &b"3\n"[..]));
    // The same field of rows that are written otherwise.
    let ran = place.run_with("has f --tsv", b"email\tn\nb@x.org\t1\n");
    assert_eq!((ran.code, ran.text()), (0, "email\tn\nb@x.org\t1\n"));
    place.build("plain", b"a\n", "");
    for (args, flag) in [
        ("has plain --csv list", "--csv"),
        ("has plain --tsv list", "--tsv"),
        ("add plain -d ; list", "-d"),
        ("build --csv list -o g", "--csv"),
        ("build --header list -o g", "--header"),
    ] {
        let ran = place.run(args);
        let expected = format!(
            "tepal: {flag} is about rows, and no field of them is named; say with -f which one is the key, "
        );
        assert!(ran.code == 2 && ran.err.starts_with(&expected), "{args}: {}", ran.err);
    }
    assert_eq!(place.run("has plain -f 1 --whole list").code, 2);
}

#[test]
fn filters_of_other_rows_beside_each_other() {
    let place = Place::new();
    place.write("mail.csv", MAIL);
    place.build("mails", b"", "-f email mail.csv");
    place.build("again", b"", "-f email mail.csv");
    place.build("ids", b"", "-f id mail.csv");
    place.build("list", b"b@x.org\n", "");
    assert_eq!(place.run_with("build -q --to guava -o guava", b"b@x.org\n").code, 0);
    assert_eq!(place.run("has -c mails --in again mail.csv").text(), "3\n");
    // Another program's file says nothing.
    let ran = place.run("has -c guava --from guava --in mails mail.csv --keys bytes");
    assert_eq!((ran.text(), ran.err.as_str()), ("3\n", ""));
    for (args, other) in
        [("has mails --in ids", "ids from field \"id\""), ("has mails --in list", "list from whole lines")]
    {
        let ran = place.run(&format!("{args} mail.csv"));
        let expected = format!(
            "tepal: mails: built from field \"email\" of CSV rows, and {other}{}; say what the keys of these lines are, with -f \
             FIELD or --whole\n",
            if other.contains("id\"") { " of CSV rows" } else { "" }
        );
        assert_eq!((ran.code, ran.err), (2, expected), "{args}");
        assert_eq!(place.run(&format!("{args} -e b@x.org")).quiet().0, 0);
    }
    assert_eq!(place.run("has -q mails --in list -f email mail.csv").code, 0);
    assert_eq!(place.run("which mails list -f email -- mail.csv").code, 0);
    // Merged, they keep what they agree on.
    let shape = "-n 100 -p 1%";
    for (name, list) in
        [("a", "-f email mail.csv"), ("b", "-f email mail.csv"), ("c", "-f id mail.csv"), ("d", "list.txt")]
    {
        place.write("list.txt", "b@x.org\n");
        assert_eq!(place.run(&format!("build -q {shape} -o {name}.tepal {list}")).code, 0);
    }
    assert_eq!(place.run("merge -q a.tepal b.tepal -o ab").code, 0);
    assert_eq!(place.run("info --json ab").json()[0]["field"], "email");
    for (filters, from) in
        [("a.tepal c.tepal", "field \"id\" of CSV rows"), ("a.tepal d.tepal", "whole lines")]
    {
        let ran = place.run(&format!("merge {filters} --force -o new"));
        assert_eq!(ran.code, 0);
        let expected = format!(
            "tepal: new: a.tepal was built from field \"email\" of CSV rows, and {} from {from}; the new filter keeps no field, so \
             say -f where it is asked for rows\n",
            &filters[8..]
        );
        assert!(ran.err.contains(&expected), "{}", ran.err);
        let info = place.run("info --json new").json();
        assert!(info[0]["field"].is_null() && info[0]["row_format"].is_null());
    }
    // Another program's file has no place for it, and none comes back.
    assert_eq!(place.run("build -q -f email mail.csv --to guava -o g.bin").code, 0);
    assert_eq!(place.run("convert -q g.bin --from guava --to tepal -o g.tepal").code, 0);
    assert!(place.run("info --json g.tepal").json()[0]["field"].is_null());
}

/// A file from before rows were kept has the field alone.
#[test]
fn a_field_without_rows_is_applied_as_if_it_were_typed() {
    let place = Place::new();
    let labels = tepal::facts::Labels::new().field("email");
    let filter = tepal::BloomFilter::builder().capacity(9).false_positive_rate(1e-9).labels(labels).build();
    let mut filter = filter.unwrap();
    filter.insert("b@x.org").unwrap();
    place.write("f", filter.to_bytes().unwrap());
    place.write("mail.csv", MAIL);
    let ran = place.run("has -c f mail.csv");
    assert_eq!((ran.text(), ran.err.as_str()), ("1\n", ""));
}

#[test]
fn names_of_columns_that_are_not_there() {
    let place = Place::new();
    place.build("f", b"x\n", "");
    place.write("list.csv", "id,e-mail,note\n1,x,y\n");
    let error = |args: &str, input: &str| {
        let ran = place.run_with(args, input.as_bytes());
        assert_eq!((ran.code, ran.out.len()), (2, 0), "{args}");
        ran.err
    };
    assert_eq!(
        error("has f list.csv -f email", ""),
        "tepal: list.csv: line 1: no field named \"email\" in the first row; did you mean \"e-mail\"? Its fields between commas are \
         \"id\", \"e-mail\", \"note\"\n"
    );
    assert!(
        error("build list.csv -f phone -o g", "")
            .contains("in the first row. Its fields between commas are ")
    );
    for (input, flag) in
        [("id,email\n", "--csv,"), ("id;email\n", "--csv -d \";\","), ("id\temail\n", "--tsv,")]
    {
        let args = if input.contains('\t') { "has f -f email --csv" } else { "has f -f email --tsv" };
        let told = error(args, input);
        assert!(told.contains(&format!("; say {flag} for it has ")), "{input}: {told}");
    }
    assert!(error("has f -f email", "email addresses\n").contains("; say --csv, --tsv or -d if "));
    let json = "{\"acct\":{\"no\":1}}\n";
    for args in ["has f -f acct.no --csv", "has f -f acct/no", "has f -f acct/no --csv"] {
        assert!(error(args, json).contains("with a slash before each name, such as -f /acct/no\n"), "{args}");
    }
    assert!(error("has f -f 2 --bad fail", json).contains("such as -f /acct/no\n"));
}

#[test]
fn info_and_add_agree_on_what_is_full() {
    let place = Place::new();
    place.write("empty", "");
    for capacity in [1, 5, 40] {
        assert_eq!(
            place.run(&format!("build -q --force --allow-empty -n {capacity} -p 1% -o f empty")).code,
            0
        );
        place.write("new", "a key that comes from nowhere\n");
        let mut full = 0;
        for n in 0..capacity * 2 + 100 {
            let info = place.run("info f");
            let is_full = place.run("info --json f").json()[0]["full"].as_bool().unwrap();
            assert_eq!(info.text().contains("full: it takes no new key"), is_full, "{}", info.text());
            let refused = place.run("add -q f new -o -").code == 2;
            assert_eq!(is_full, refused, "{n} of {capacity}: {}", info.text());
            if refused {
                full += 1;
                break;
            }
            place.write("key", format!("key {n}\n"));
            place.run("add -q f key");
        }
        assert!(full > 0, "{capacity}");
    }
}

#[test]
fn names_of_files_and_header_rows() {
    let place = Place::new();
    place.build("f", b"x\n", "");
    place.write("a", "x\nno\nx\n");
    place.write("b", "no\n");
    place.write("c", "no\nx");
    place.write("empty", "");
    let many = "no\n".repeat(1 << 19);
    place.write("long", format!("{many}x\n{many}"));
    for threads in ["-j 1", "-j 3"] {
        let run = |args: &str| place.run(&format!("has f {args} {threads}")).quiet().1.to_vec();
        let text = |args: &str| String::from_utf8(run(args)).unwrap();
        assert_eq!(text("a b c empty"), "a:x\na:x\nc:x");
        assert_eq!(text("-n -v a b c"), "a:2:no\nb:1:no\nc:1:no\n");
        assert_eq!(text("-n c a -m 1"), "c:2:x\na:1:x\n");
        assert_eq!(text("-c a b c empty long"), "a:2\nb:0\nc:1\nempty:0\nlong:1\n");
        assert_eq!(text("-l -0 a long"), "");
        assert_eq!(text("-H -e x a"), "x\na:x\na:x\n");
        assert_eq!(text("-H long"), "long:x\n");
    }
    assert_eq!(place.run("has -l f b empty").code, 1);
    assert_eq!(place.run_with("has -H f", b"x\n").text(), "standard input:x\n");
    assert_eq!(place.run("has -l --json f a").code, 2);
    // Columns are found again in each file, by name.
    place.write("1.csv", "id,mail\n1,x\n2,y\n");
    place.write("2.csv", "mail,id\nx,3\ny,4\n");
    let ran = place.run("has f 1.csv 2.csv 1.csv -f mail");
    assert_eq!(ran.text(), "1.csv:id,mail\n1.csv:1,x\n2.csv:x,3\n1.csv:1,x\n");
    assert_eq!(place.run("has f 1.csv 2.csv 1.csv -f mail -I").text(), "id,mail\n1,x\nx,3\n1,x\n");
    assert_eq!(
        ran.err,
        "tepal: 2.csv: its header row is another than that of the first input; its rows are printed as they stand\n"
    );
    assert_eq!(place.run("has f 1.csv 2.csv -f mail --no-header").quiet().1, b"1.csv:1,x\n2.csv:x,3\n");
    assert_eq!(place.run("has -H f 1.csv -f mail").text(), "1.csv:id,mail\n1.csv:1,x\n");
    // By number a header row is one of many, unless it is said.
    place.write("3.csv", "mail,x\n1,x\n");
    assert_eq!(place.run("has f 3.csv -f 2").text(), "mail,x\n1,x\n");
    assert_eq!(place.run("has -c f 3.csv -f 2 --header").text(), "1\n");
    assert_eq!(place.run("has -v f 3.csv -f 1 --header").text(), "mail,x\n1,x\n");
}

/// Records that end with NUL come out as they stand, where it is the filter that says so too.
#[test]
fn stored_rows_that_end_with_nul() {
    let place = Place::new();
    place.write("rows", b"1,a\x002,b\x00");
    place.write("more", b"1,a\x009,b\x002,c\x00");
    assert_eq!(place.run("build -q rows -0 -f 1 -d , -o f").code, 0);
    assert_eq!(place.run("uniq rows -0 -f 1 -d , --state s").code, 0);
    for (verb, bytes) in [
        ("has f more", &b"1,a\x002,c\x00"[..]),
        ("which f -- more", b"1,a\tf\x009,b\tnone\x002,c\tf\x00"),
        ("uniq -D --state s more", b"1,a\x002,c\x00"),
    ] {
        assert_eq!(place.run(verb).out, bytes, "{verb}");
    }
}
