//! `tepal info`: shows what a filter is, how full it is, and how many of its answers are wrong now.

mod page;
mod parts;
mod patch;
mod window;

use serde::Serialize;

use crate::args::{FileArgs, InfoArgs};
use crate::article::Article;
use crate::describe::{Description, Told};
use crate::error::{Failure, Outcome};
use crate::open::{KeysOf, first_bytes, is_patch, open_one_of};
use crate::output::{Stdout, complain};
use crate::secrets::Secrets;
use crate::text::message::shown;

/// One element of what `--json` prints.
#[derive(Serialize)]
#[serde(untagged)]
enum Described {
    Filter(Box<Description>),
    Patch(patch::PatchFile),
}

/// Runs the verb. If a filter cannot be opened, the others are still shown.
pub fn run(args: &InfoArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed, false)?;
    let how = FileArgs { without_keys: true, ..args.file };
    let mut stdout = Stdout::new();
    let mut described = Vec::new();
    let mut code = 0;
    let mut shown_before = false;
    for path in &args.filters {
        let name = shown(path);
        if is_patch(&first_bytes(path)) {
            match patch::PatchFile::open(path) {
                Ok((_, about)) if args.json => described.push(Described::Patch(about)),
                Ok((patch, about)) => {
                    let gap = if std::mem::replace(&mut shown_before, true) { "\n" } else { "" };
                    let others = args.filters.iter().filter(|other| *other != path);
                    stdout.write(format!("{gap}{}", about.page(&patch, others)).as_bytes())?;
                }
                Err(Failure::Message(text)) => {
                    complain(&text);
                    code = 2;
                }
                Err(closed) => return Err(closed),
            }
            continue;
        }
        let opened = open_one_of(args.filters.len(), path, how, &secrets);
        match opened.and_then(|filter| Ok((Told::of(&name, &filter)?, filter))) {
            Ok((told, filter)) => {
                let article =
                    Article::of(&filter, &told.facts.parts, told.has_plan().then_some(told.facts.capacity))?;
                if args.json {
                    let described_as = Description { article, ..Description::of(&name, &told) };
                    described.push(Described::Filter(Box::new(described_as)));
                } else {
                    let gap = if std::mem::replace(&mut shown_before, true) { "\n" } else { "" };
                    stdout.styled(&format!(
                        "{gap}{}",
                        page::page(&name, &told, article.as_ref(), &filter, KeysOf::of(&filter, &secrets))
                    ))?;
                }
            }
            Err(Failure::Message(text)) => {
                complain(&text);
                code = 2;
            }
            Err(closed) => return Err(closed),
        }
    }
    if args.json {
        stdout.document(&described)?;
    }
    stdout.flush()?;
    Ok(code)
}
