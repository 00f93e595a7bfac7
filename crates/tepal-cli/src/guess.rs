//! Verbs and flags that people guess and that are called otherwise, or are not there: what to type
//! instead.
//!
//! What means the same is an alias, and works. Here is what needs a word.

use crate::args::GUESSED_STATIC;

/// Whether this is what people call a static filter, or making one.
fn is_static(name: &str) -> bool {
    name == "freeze" || GUESSED_STATIC.contains(&name)
}

/// What to do in place of a verb that there is not.
pub fn verb(found: &str) -> Option<&'static str> {
    Some(match found {
        name if is_static(name) => {
            "a static filter is made of a list by tepal build LIST --static -o FILTER, and of one from which keys can be removed by \
             tepal convert FILTER --static -p RATE -o NEW"
        }
        "map" => {
            "a map is made by tepal build ROWS -f KEY --map VALUE -o MAP, where KEY and VALUE are fields, and asked by tepal get"
        }
        "expire" | "forget" => {
            "keys that go by themselves: tepal build --window 7d; others are taken out by tepal remove"
        }
        _ => return None,
    })
}

/// What to do in place of a flag that the verb does not have.
pub fn flag(verb: &str, found: &str) -> Option<&'static str> {
    Some(match (verb, found) {
        ("get", "--in" | "--which") => {
            "get asks one map; ask each by itself, and which of several may hold a key says tepal which MAP... -- LINES"
        }
        ("has", "--which") => {
            "which of several filters may hold each key says tepal which FILTER... -- LINES; a line that none of them holds comes out \
             too, with the word none"
        }
        ("get", "--copies") => {
            "a map has each key once; how often a key is in says a filter of build --count-bits 4 (tepal has --copies)"
        }
        ("get", "--stem") => {
            "it shortens names of filters, and get prints values; their names are those of the map (build --set --stem --static makes short ones)"
        }
        ("get", "--value" | "--values" | "--only-value" | "--only-values") => {
            "the value is the last field of each line that comes out, behind a tab, so the values alone are: tepal get ... | awk -F'\\t' \
             '{print $NF}'"
        }
        ("get", "--default" | "--missing") => {
            "a key without a value has the word none in its place, which a script can exchange: tepal get ... | sed 's/\\tnone$/\\tX/'"
        }
        ("get" | "has" | "which", "-o" | "--output") => {
            "lines come out on standard output, for a pipe or a file: > FILE"
        }
        ("has" | "which" | "info", "--value" | "--values") => "the value of a key says tepal get MAP",
        ("get" | "has" | "which" | "add" | "remove" | "test", "--trim" | "--nocase") => {
            "whether white space and case count is decided when it is built, tepal build --trim --nocase, and kept in the file"
        }
        (_, "--sep" | "--separator") => {
            "what separates the fields of rows is said by --csv, --tsv or -d: -d ';'"
        }
        ("add" | "remove", "--map" | "--value") => {
            "nothing can be added to a map or taken out of it: build it again of all rows, tepal build ROWS -f KEY --map VALUE"
        }
        ("build", "--default") => {
            "a map has what its rows have; a key that is in no row has no value, and tepal get says none"
        }
        ("plan", "--static" | "--ribbon" | "--deletable" | "--growing" | "--count-bits" | "--window") => {
            "plan shows all layouts and kinds in one table, this one too; leave it out"
        }
        ("plan", "--map") => "how many different values a map has is said by --values: --values 250",
        ("demo", "--keys" | "--expected") | ("uniq", "--expected") => {
            "how many different keys there are is said by -n: -n 20M"
        }
        ("test" | "demo", "--seed") => "--seed is that of a hash; that of random numbers is --random-seed",
        ("build", "--segments") => {
            "with --set each list is a segment; with --by a field names the segment of its key"
        }
        ("plan", "--known-keys") => "plan --values VALUES has a row for it, map-known; leave it out",
        ("merge", "--static") => {
            "filters from which keys can be removed, and growing ones, are merged first, and then made static: tepal convert FILTER --static -p RATE -o NEW; \
             of others build one of all lists: tepal build LIST... --static"
        }
        ("shrink", flag) if flag == "--smallest" || flag.strip_prefix("--").is_some_and(is_static) => {
            "a static filter of one from which keys can be removed, or of a growing one, is made by tepal convert FILTER --static -p RATE \
             -o NEW"
        }
        ("uniq", "-c" | "--count") => {
            "a line is printed as soon as it comes, and how often it will come is not known by then; how many lines are new says \
             --count-new"
        }
        ("uniq", "--static") => "uniq adds keys all the time, and a static filter takes few; leave it out",
        ("build" | "add" | "get" | "has" | "which" | "uniq" | "test", "--key-field" | "--column") => {
            "the field that is the key is named by -f, by its number or its name: -f 1, -f email"
        }
        ("build" | "uniq", "--key") => {
            "the field that is the key is named by -f, by its number or its name: -f 1, -f email"
        }
        ("build", "--xor" | "--fuse" | "--binary-fuse" | "--bumped-ribbon") => {
            "the smallest filter of a list that does not change is made by --static"
        }
        ("build", "--kind" | "--type") => {
            "there is a flag for each kind: --static, --map FIELD, --deletable, --count-bits, --growing, --window, --by, --set; without one it \
             is a Bloom filter"
        }
        ("plan", name) if !name.starts_with('-') => {
            "plan reads no list; how many keys there are is said by -n: -n 20M"
        }
        ("convert" | "shrink" | "diff" | "patch", name) if !name.starts_with('-') => {
            "one file too many; the one that is written is named by -o"
        }
        _ => return None,
    })
}

/// What to do in place of a value that the flag does not take.
pub fn value(verb: &str, flag: &str, found: &str) -> Option<&'static str> {
    match (verb, flag) {
        ("build", "--to") if GUESSED_STATIC.contains(&found) => Some(
            "--to is for the files of other programs; a static filter is one of tepal's: tepal build LIST --static -o FILTER",
        ),
        ("plan", "--values") if !found.starts_with(|first: char| first.is_ascii_digit()) => Some(
            "plan has no rows to look at, so --values says how many different values there are: --values 250",
        ),
        _ => None,
    }
}
