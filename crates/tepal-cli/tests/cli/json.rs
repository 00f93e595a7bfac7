//! `--json` of every verb against `docs/json.schema.json`, and that against the tables in
//! `docs/json.md`.
//!
//! `TEPAL_WRITE_DOCS=1 cargo test -p tepal-cli --test cli json::` writes the tables anew.

use std::collections::BTreeSet;
use std::{env, fs};

use serde_json::Value;

use crate::place::{Place, numbers};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.schema.json");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.md");

/// The schema, and which of its fields have been seen with a value other than null.
struct Checker {
    schema: Value,
    seen: BTreeSet<String>,
}

impl Checker {
    fn new() -> Self {
        let schema = serde_json::from_str(&fs::read_to_string(SCHEMA).unwrap()).unwrap();
        Self { schema, seen: BTreeSet::new() }
    }

    fn def(&self, name: &str) -> Value {
        let def = self.schema["$defs"].get(name);
        def.unwrap_or_else(|| panic!("docs/json.schema.json has no {name}")).clone()
    }

    /// Checks one document of a verb.
    fn check(&mut self, name: &str, value: &Value) {
        let def = self.def(name);
        if let Err(problem) = self.fits(&def, value, name) {
            panic!("{name} --json is not as docs/json.schema.json says: {problem}\n{value:#}");
        }
    }

    /// The words of JSON Schema that the file has: `$ref`, `anyOf`, `type`, `items`, `properties`,
    /// `required`. Nothing else may be in an object.
    fn fits(&mut self, rule: &Value, value: &Value, at: &str) -> Result<(), String> {
        if let Some(name) = rule.get("$ref").and_then(Value::as_str) {
            let name = name.strip_prefix("#/$defs/").unwrap();
            let rule = self.def(name);
            return self.fits(&rule, value, name);
        }
        if let Some(rules) = rule.get("anyOf").and_then(Value::as_array) {
            let failed: Vec<_> = rules.iter().map_while(|rule| self.fits(rule, value, at).err()).collect();
            return if failed.len() < rules.len() { Ok(()) } else { Err(failed.join("; or ")) };
        }
        let types = match &rule["type"] {
            Value::Array(types) => types.iter().map(|kind| kind.as_str().unwrap()).collect(),
            kind => vec![kind.as_str().ok_or(format!("{at} has no type"))?],
        };
        let is = |kind: &str| match value {
            Value::Null => kind == "null",
            Value::Bool(_) => kind == "boolean",
            Value::String(_) => kind == "string",
            Value::Number(number) => kind == "number" || kind == "integer" && number.is_u64(),
            Value::Array(_) => kind == "array",
            Value::Object(_) => kind == "object",
        };
        if !types.into_iter().any(is) {
            return Err(format!("{at} is {value}, and must be {}", rule["type"]));
        }
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.fits(&rule["items"], item, at))?;
            }
            Value::Object(fields) => {
                for name in rule["required"].as_array().into_iter().flatten() {
                    let name = name.as_str().unwrap();
                    fields.get(name).ok_or_else(|| format!("{at} has no {name}"))?;
                }
                for (name, value) in fields {
                    let at = format!("{at}.{name}");
                    let rule =
                        rule["properties"].get(name).ok_or_else(|| format!("{at} is not documented"))?;
                    self.fits(rule, value, &at)?;
                    if !value.is_null() {
                        self.seen.insert(at);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What a verb prints, as documents.
fn documents(place: &Place, args: &str) -> Vec<Value> {
    let ran = place.run(args);
    assert!(ran.code < 2, "{args}: {}", ran.err);
    let documents = serde_json::Deserializer::from_slice(&ran.out).into_iter();
    let documents: Vec<Value> = documents.map(Result::unwrap).collect();
    assert!(!documents.is_empty(), "{args}: nothing");
    documents
}

/// Runs that show every field, by the name in the schema. `place` has what they need.
fn runs(place: &Place) -> Vec<(&'static str, Vec<&'static str>)> {
    place.write("keys", numbers(0..2000));
    place.write("others", numbers(5000..9000));
    place.write("rows", b"1\t7\n2\t\xff\n\n{\t8\n");
    place.write("mixed", b"7\nx\n");
    place.write("blank", b"1;7\n\n2\n3;7\n");
    place.write_key("seal", "0123456789abcdef");
    for (name, more) in [
        ("f", "--name numbers --source here --date today --trim"),
        ("roomy", "-n 100000 --seed 1"),
        ("sealed", "--seal seal"),
        ("guava", "--to guava --keys bytes"),
        ("chain", "--to redisbloom -n 100 --expansion 2"),
        ("valkey", "--to valkey-bloom"),
        ("article", "--scheme md5-presets"),
        ("ints", "--integer"),
        ("table", "--count-bits 8"),
        ("grown", "--growing --deletable -n 100 -p 20%"),
        ("both", "--seal seal --secret seal"),
        ("window", "--window 7d"),
        ("segments", "others --set -n 100k"),
        ("map", "others --set --static"),
    ] {
        let ran = place.run(&format!("build -q -o {name} {more} keys"));
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
    }
    for args in [
        "build -q -o byfield -f 2 blank --csv -d ; --escape \\ --bad skip",
        "build -q keys others --like roomy -o newer",
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
    }
    assert_eq!(place.run("diff -q roomy newer -o p").code, 0);
    place.write("pairs", "7\t9\n8\t70\n");
    let ran = place.run("build -q -o intmap --integer -f 1 --map 2 pairs");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let hashed = tepal::BloomFilter::builder().caller_hash("mine").capacity(10).build().unwrap();
    hashed.save(place.path("hashed")).unwrap();
    vec![
        (
            "build",
            vec![
                "build --json keys -o b1",
                "build --json keys -o b2 --to guava",
                "build --json keys --exact-on others -o b3",
            ],
        ),
        ("add", vec!["add --json roomy others -o added"]),
        (
            "remove",
            vec![
                "remove --json table keys --members others keys -o removed",
                "remove --json grown others --allow-absent -o less",
            ],
        ),
        ("remove-segments", vec!["remove --json segments --segment keys -o dropped"]),
        (
            "has",
            vec![
                "has --json f --in ints rows mixed -e 1",
                "has --json f -f 2 rows",
                "has --json table --copies keys -e 5",
            ],
        ),
        (
            "which",
            vec![
                "which --json f guava --from guava --keys bytes -- rows",
                "which --json ints --in ints mixed",
            ],
        ),
        ("get", vec!["get --json map rows -e 1", "get --json map -f 2 rows", "get --json intmap mixed"]),
        ("uniq", vec!["uniq --json --csv -f 2 -d ; --bad skip blank", "uniq --json rows"]),
        (
            "uniq-count",
            vec![
                "uniq --json --count-new --csv -f 2 -d ; --bad skip blank",
                "uniq --json --count-new -p 10% keys",
            ],
        ),
        ("has-count", vec!["has --json -c f rows mixed -e 1", "get --json -c map rows"]),
        ("which-count", vec!["which --json -c f roomy -- keys"]),
        (
            "info",
            vec![
                "info --json f roomy article ints byfield hashed chain table window segments map",
                "info --json guava --from guava",
                "info --json valkey --from valkey-bloom",
                "info --json sealed --seal seal",
                "info --json p f",
            ],
        ),
        (
            "plan",
            vec![
                "plan --json -n 1M -p 1%",
                "plan --json -n 1M -s 1MiB --universe 100M",
                "plan --json -n 1M -p 1e-9",
            ],
        ),
        ("shrink", vec!["shrink --json roomy -p 5% -o small"]),
        ("merge", vec!["merge --json roomy newer -o merged"]),
        (
            "convert",
            vec![
                "convert --json table -p 50% --static -o frozen",
                "convert --json guava --from guava --to tepal -o back",
            ],
        ),
        ("diff", vec!["diff --json roomy newer -o patch"]),
        ("patch", vec!["patch --json roomy patch -o patched"]),
        (
            "except",
            vec!["except --json --list roomy", "except --json --non-members roomy others -o excepted"],
        ),
        ("verify", vec!["verify --json f chain", "verify --json both"]),
        (
            "test",
            vec![
                "test --json f --members keys others",
                "test --json guava --from guava --members keys --absent others",
                "test --json segments --members others",
            ],
        ),
        ("demo", vec!["demo --json -n 1000 --dir demo"]),
    ]
}

#[test]
fn every_verb_prints_what_is_documented() {
    let place = Place::new();
    let mut checker = Checker::new();
    let runs = runs(&place);
    for (name, all) in &runs {
        for args in all {
            for document in documents(&place, args) {
                checker.check(name, &document);
            }
        }
    }
    // `verify` of what is no filter ends with 2, and says why.
    let ran = place.run("verify --json keys");
    checker.check("verify", &serde_json::from_slice(&ran.out).unwrap());
    // Every verb that has the flag is among them, and every field has been shown.
    let verbs = place.run("--help");
    let verbs = verbs.text().lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for verb in verbs.filter(|verb| verb.starts_with(|letter: char| letter.is_ascii_lowercase())) {
        let help = place.run(&format!("{verb} --help"));
        let has_flag = help.code == 0 && help.text().lines().any(|line| line.trim() == "--json");
        assert!(!has_flag || verb == "tepal" || runs.iter().any(|(name, _)| *name == verb), "{verb}");
    }
    let defs = checker.schema["$defs"].as_object().unwrap();
    let fields = defs.iter().flat_map(|(def, rule)| {
        let fields = rule["properties"].as_object().into_iter().flat_map(|fields| fields.keys());
        fields.map(move |field| format!("{def}.{field}"))
    });
    let unseen: Vec<String> = fields.filter(|field| !checker.seen.contains(field)).collect();
    assert_eq!(unseen, Vec::<String>::new(), "no run shows these fields");
}

/// The checker finds what is wrong: a field too many, one too few, one of another type.
#[test]
fn a_document_that_is_not_as_documented_is_found() {
    let mut checker = Checker::new();
    let rule = checker.def("total");
    let mut fits = |value: Value| checker.fits(&rule, &value, "total");
    assert!(fits(serde_json::json!({ "filter": "f", "lines": 1 })).is_ok());
    for (wrong, problem) in [
        (serde_json::json!({ "filter": "f", "lines": 1, "more": 1 }), "total.more is not documented"),
        (serde_json::json!({ "filter": "f" }), "total has no lines"),
        (serde_json::json!({ "filter": null, "lines": 1 }), "total.filter is null"),
        (serde_json::json!({ "filter": "f", "lines": -1 }), "total.lines is -1"),
        (serde_json::json!([]), "total is []"),
    ] {
        assert!(fits(wrong).unwrap_err().starts_with(problem));
    }
}

/// How a type is called on the page.
fn type_name(rule: &Value) -> String {
    if let Some(name) = rule.get("$ref").and_then(Value::as_str) {
        let name = name.trim_start_matches("#/$defs/");
        return format!("[{name}](#{name})");
    }
    if let Some(rules) = rule.get("anyOf").and_then(Value::as_array) {
        return rules.iter().map(type_name).collect::<Vec<_>>().join(" or ");
    }
    let name = |kind: &Value| match kind.as_str().unwrap() {
        "array" => format!("array of {}", type_name(&rule["items"])),
        other => other.to_owned(),
    };
    match &rule["type"] {
        Value::Array(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
        kind => name(kind),
    }
}

#[test]
fn the_page_has_the_fields_of_the_schema() {
    let checker = Checker::new();
    let mut tables = String::new();
    for (name, rule) in checker.schema["$defs"].as_object().unwrap() {
        tables.push_str(&format!("\n### {name}\n\n{}", rule["description"].as_str().unwrap()));
        let Some(fields) = rule["properties"].as_object() else {
            tables.push_str(&format!(" Each is a {}.\n", type_name(&rule["items"])));
            continue;
        };
        tables.push_str("\n\n| field | type | what it is |\n| --- | --- | --- |\n");
        let required = rule["required"].as_array().unwrap();
        for (field, rule) in fields {
            let about =
                rule["description"].as_str().unwrap_or_else(|| panic!("{name}.{field}: no description"));
            let absent = if required.iter().any(|name| name == field) { "" } else { ", may be absent" };
            tables.push_str(&format!("| `{field}` | {}{absent} | {about} |\n", type_name(rule)));
        }
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let mark = "<!-- made by crates/tepal-cli/tests/cli/json.rs from json.schema.json -->\n";
    let (before, found) = page.split_once(mark).expect("no mark");
    if env::var_os("TEPAL_WRITE_DOCS").is_some() {
        fs::write(PAGE, [before, mark, &tables].concat()).unwrap();
    } else {
        assert!(found == tables, "docs/json.md is not up to date; TEPAL_WRITE_DOCS=1 writes it:\n{tables}");
    }
}
