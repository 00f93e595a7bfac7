//! What `tepal info` says of a patch: for which file it is, and what it makes.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tepal::{Error, file::Patch};

use crate::cmd::diff::{self, keys};
use crate::error::Failure;
use crate::text::message::shown;
use crate::text::number::{count, counted};

/// A patch in a file.
#[derive(Serialize)]
pub struct PatchFile {
    /// Where it is.
    file: String,
    /// `patch`, where a filter has its kind.
    kind: &'static str,
    /// XXH3-64 of the file that it is for, and of the one that it makes, in hex.
    old_xxh3: String,
    new_xxh3: String,
    #[serde(flatten)]
    patch: diff::Report,
}

impl PatchFile {
    /// Reads and checks a patch.
    pub fn open(path: &Path) -> Result<(Patch, Self), Failure> {
        let file = shown(path);
        let patch = Patch::open(path).map_err(|error| Failure::at(&file, error))?;
        let [old_xxh3, new_xxh3] =
            [patch.old_checksum(), patch.new_checksum()].map(|sum| format!("{sum:016x}"));
        let about = Self { file, kind: "patch", old_xxh3, new_xxh3, patch: diff::Report::of(&patch) };
        Ok((patch, about))
    }

    /// The page about it. The other files that are named are compared with what it is for.
    pub fn page<'a>(&self, patch: &Patch, others: impl Iterator<Item = &'a PathBuf>) -> String {
        let (mut old, mut new) = (String::new(), String::new());
        for path in others {
            match patch.apply_to(path, io::sink()) {
                Ok(()) => old.push_str(&format!(": {}", shown(path))),
                Err(Error::OtherOld { is_new: true, .. }) => new.push_str(&format!(": {}", shown(path))),
                Err(_) => {}
            }
        }
        let of = |len, sum: &str| format!("a file of {} bytes with the XXH3-64 {sum}", count(len));
        let name = &self.file;
        let mut page = String::new();
        for (label, text) in [
            (name.as_str(), format!("patch: makes the new file of an old one with: tepal patch OLD {name}")),
            ("for", of(self.patch.old_len, &self.old_xxh3) + &old),
            ("makes", of(self.patch.new_len, &self.new_xxh3) + &new),
            ("changes", format!("{}{}", keys(patch), counted(self.patch.flips, "bit"))),
            ("size", format!("{} bytes", count(self.patch.patch_len))),
        ] {
            page.push_str(&format!("{label:<11} {text}\n"));
        }
        page
    }
}
