//! Where a filter is written: a file, a device, a pipe or standard output.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tepal::{Error, Opened, SealKey};

use crate::error::Failure;
use crate::output::interrupt;
use crate::text::message::shown;

/// Where a filter is to be written.
pub enum Target {
    /// Standard output, which is not a terminal.
    Stdout,
    /// A device or a pipe with a name. It is written to and not replaced.
    Stream(PathBuf),
    /// An ordinary file. It is replaced as a whole.
    File(PathBuf),
}

impl Target {
    /// The target named `path`. A terminal is refused, and without `force` an existing file too.
    pub fn new(path: &Path, force: bool) -> Result<Self, Failure> {
        let name = shown(path);
        if path.as_os_str() == "-" {
            if io::stdout().is_terminal() {
                let text = "is a terminal, and a filter is no text; write it to a file with -o FILE";
                return Err(Failure::at("standard output", text));
            }
            return Ok(Self::Stdout);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                Err(Failure::at(&name, "a directory; expected the name of a file"))
            }
            Ok(found) if !found.is_file() => Ok(Self::Stream(path.to_owned())),
            Ok(_) if !force => Err(Failure::at(&name, "exists; add --force to replace it")),
            // If the path is a symbolic link, its target is replaced, not the link.
            Ok(_) => match path.canonicalize() {
                Ok(real) => Ok(Self::File(real)),
                Err(error) => Err(Failure::io(&name, &error)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = folder_of(path);
                if !folder.is_dir() {
                    let text = "no such folder; make it first, or name another file with -o";
                    return Err(Failure::at(&shown(&folder), text));
                }
                Ok(Self::File(path.to_owned()))
            }
            Err(error) => Err(Failure::io(&name, &error)),
        }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::Stream(path) | Self::File(path) => shown(path),
        }
    }

    /// The folder for temporary data.
    pub fn folder(&self) -> PathBuf {
        match self {
            Self::Stdout | Self::Stream(_) => std::env::temp_dir(),
            Self::File(path) => folder_of(path),
        }
    }

    /// Writes the filter. A file is replaced as a whole or left as it was.
    pub fn save(&self, filter: &Opened, seal: Option<&SealKey>) -> Result<(), Failure> {
        let result = match self {
            Self::Stdout => write(filter, seal, &mut io::stdout().lock()),
            Self::Stream(path) => match fs::OpenOptions::new().write(true).open(path) {
                Ok(mut file) => write(filter, seal, &mut file),
                Err(error) => return Err(Failure::io(&self.name(), &error)),
            },
            Self::File(path) => {
                let _saving = interrupt::saving();
                match seal {
                    Some(key) => filter.save_sealed(path, key),
                    None => filter.save(path),
                }
            }
        };
        self.named(result)
    }

    /// Adds the name of the target to an error.
    fn named(&self, result: Result<(), Error>) -> Result<(), Failure> {
        match result {
            Ok(()) => Ok(()),
            Err(Error::Io { source, .. }) if matches!(self, Self::Stdout) => Err(Failure::stdout(&source)),
            Err(Error::Io { source, .. }) => Err(Failure::io(&self.name(), &source)),
            Err(error) => Err(Failure::at(&self.name(), error)),
        }
    }
}

fn write(filter: &Opened, seal: Option<&SealKey>, writer: &mut impl Write) -> Result<(), Error> {
    match seal {
        Some(key) => filter.write_to_sealed(writer, key),
        None => filter.write_to(writer),
    }
}

/// The folder a file lies in.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
