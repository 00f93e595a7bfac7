//! Where a filter is written: a file, a device, a pipe or standard output.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tepal::{
    Error, Opened, SealKey,
    file::{FileLock, Patch},
};

use crate::error::Failure;
use crate::output::interrupt::{self, Saving};
use crate::output::{Open, check_stdout, complain};
use crate::text::message::{io_text, shown};
use crate::text::number;

/// The place to which a filter is written.
pub enum Target {
    /// Standard output, which is not a terminal.
    Stdout,
    /// A device or a named pipe. It is written to and not replaced.
    Stream(PathBuf),
    /// An ordinary file that must not exist yet.
    New(PathBuf),
    /// An ordinary file. It is replaced as a whole, or created.
    File(PathBuf),
    /// An ordinary file under our lock. It is replaced as a whole.
    Locked(PathBuf, FileLock),
}

impl Target {
    /// The target named `path`. Refuses a terminal, a place that cannot be saved to, and without
    /// `force` an existing file, before any work is done.
    pub fn new(path: &Path, force: bool) -> Result<Self, Failure> {
        let name = shown(path);
        if path.as_os_str() == "-" {
            check_stdout().map_err(|error| Failure::stdout(&error))?;
            if io::stdout().is_terminal() {
                let text = "is a terminal, and a filter is no text; write it to a file with -o FILE";
                return Err(Failure::at("standard output", text));
            }
            return Ok(Self::Stdout);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(Failure::at(&name, "a directory; expected the name of a file"));
            }
            Ok(found) if is_socket(&found) => {
                return Err(Failure::at(&name, "a socket; expected the name of a file"));
            }
            Ok(found) if !found.is_file() => {
                refuse_named_pipe(
                    path,
                    "write a file, or send it through the pipe with: tepal ... -o - > PIPE",
                )?;
                return Ok(Self::Stream(path.to_owned()));
            }
            Ok(_) if !force => return Err(Failure::at(&name, "exists; add --force to replace it")),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Ok(to) = fs::read_link(path) {
                    let to = shown(&to);
                    let text = format!(
                        "a symbolic link to {to}, which is not there; name that file, or remove the link"
                    );
                    return Err(Failure::at(&name, text));
                }
                let folder = folder_of(path);
                if !folder.is_dir() {
                    let text = "no such folder; make it first, or name a file elsewhere";
                    return Err(Failure::at(&shown(&folder), text));
                }
            }
            Err(error) => return Err(Failure::io(&name, &error)),
        }
        match tepal::file::check_place(path) {
            // If the path is a symbolic link, the library replaces its target, not the link.
            Ok(()) if force => Ok(Self::File(path.to_owned())),
            Ok(()) => Ok(Self::New(path.to_owned())),
            Err(Error::Io { source, .. }) => {
                let text = format!("no file can be made here: {}; name a file elsewhere", io_text(&source));
                Err(Failure::at(&shown(&folder_of(path)), text))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// An ordinary file that will be read, changed and replaced, locked before it is read. If
    /// another program has locked it, this call waits, and prints that it waits unless `quiet` is
    /// set. With `no_wait` it refuses instead. `None` if `path` is not an ordinary file.
    pub fn lock(path: &Path, no_wait: bool, quiet: bool) -> Result<Option<Self>, Failure> {
        let name = shown(path);
        if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let failed = |error| match error {
            Error::Io { source, .. } => Failure::io(&name, &source),
            error => Failure::from(error),
        };
        if let Some(lock) = FileLock::try_acquire(path).map_err(failed)? {
            return Ok(Some(Self::Locked(path.to_owned(), lock)));
        }
        if no_wait {
            let text =
                "another program is changing it; run this again later, or leave --no-wait out to wait for it";
            return Err(Failure::at(&name, text));
        }
        if !quiet {
            complain(&format!(
                "{name}: another program is changing it; waiting until it is done (--no-wait refuses instead)"
            ));
        }
        Ok(Some(Self::Locked(path.to_owned(), FileLock::acquire(path).map_err(failed)?)))
    }

    /// Would an existing file be replaced?
    pub fn replaces(&self) -> bool {
        matches!(self, Self::File(path) | Self::Locked(path, _) if path.exists())
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::Stream(path) | Self::New(path) | Self::File(path) | Self::Locked(path, _) => shown(path),
        }
    }

    /// The folder for temporary data.
    pub fn folder(&self) -> PathBuf {
        match self {
            Self::Stdout | Self::Stream(_) => std::env::temp_dir(),
            // Beside the file itself, not beside a link to it.
            Self::New(path) | Self::File(path) | Self::Locked(path, _) => {
                folder_of(&path.canonicalize().unwrap_or_else(|_| path.clone()))
            }
        }
    }

    /// Writes the filter. A file is replaced as a whole or left as it was.
    pub fn save(&mut self, filter: &Opened, seal: Option<&SealKey>) -> Result<(), Failure> {
        let saving = self.saving();
        let others = self.other_names();
        let result = match (&mut *self, seal) {
            (Self::Stdout, seal) => write(filter, seal, &mut Open(io::stdout())),
            (Self::Stream(path), seal) => write(filter, seal, &mut stream(path)?),
            (Self::New(path), Some(key)) => filter.save_new_sealed(path, key),
            (Self::New(path), None) => filter.save_new(path),
            (Self::Locked(_, lock), Some(key)) => lock.save_sealed(filter, key),
            (Self::Locked(_, lock), None) => lock.save(filter),
            (Self::File(path), Some(key)) => filter.save_sealed(path, key),
            (Self::File(path), None) => filter.save(path),
        };
        self.ended(saving, others, result)
    }

    /// Writes a patch.
    pub fn save_patch(&mut self, patch: &Patch) -> Result<(), Failure> {
        let saving = self.saving();
        let others = self.other_names();
        let result = match self {
            Self::Stdout => patch.write_to(Open(io::stdout())),
            Self::Stream(path) => patch.write_to(stream(path)?),
            Self::New(path) => patch.save_new(path),
            Self::File(path) | Self::Locked(path, _) => patch.save(path),
        };
        self.ended(saving, others, result)
    }

    /// Writes the file that a patch makes of the file `old`. A locked target is the file `old`
    /// itself. The inner result is the patch's refusal; the outer one is a failure of the target.
    pub fn apply(&mut self, patch: &Patch, old: &Path) -> Result<Result<(), Error>, Failure> {
        let saving = self.saving();
        let others = self.other_names();
        let result = match self {
            Self::Stdout => patch.apply_to(old, Open(io::stdout())),
            Self::Stream(path) => patch.apply_to(old, stream(path)?),
            Self::New(path) => patch.apply_to_new_file(old, path),
            Self::File(path) => patch.apply_to_file(old, path),
            Self::Locked(_, lock) => lock.patch(patch),
        };
        match result {
            Err(error @ (Error::OtherOld { .. } | Error::Damaged { .. })) => Ok(Err(error)),
            result => self.ended(saving, others, result).map(Ok),
        }
    }

    /// Makes signals wait until the save has ended, if the target has a temporary file until then.
    fn saving(&self) -> Option<Saving> {
        let is_file = !matches!(self, Self::Stdout | Self::Stream(_));
        is_file.then(interrupt::saving)
    }

    /// The save has ended so. A file that had `others` as names is no longer theirs.
    fn ended(&self, saving: Option<Saving>, others: u64, result: Result<(), Error>) -> Result<(), Failure> {
        if let Some(saving) = saving {
            saving.ended(&self.name(), result.is_ok());
        }
        if result.is_ok() && others > 0 {
            complain(&format!(
                "{}: ! this name has the new file now; the old file keeps its {} (hard links)",
                self.name(),
                number::counted(others, "other name")
            ));
        }
        self.named(result)
    }

    /// How many other names the file has that will be replaced (hard links).
    fn other_names(&self) -> u64 {
        match self {
            Self::Stdout | Self::Stream(_) | Self::New(_) => 0,
            Self::File(path) | Self::Locked(path, _) => {
                fs::metadata(path).map_or(0, |found| links(&found) - 1)
            }
        }
    }

    /// Adds the name of the target to an error.
    fn named(&self, result: Result<(), Error>) -> Result<(), Failure> {
        let name = self.name();
        match result {
            Ok(()) => Ok(()),
            Err(Error::Io { source, .. }) if matches!(self, Self::Stdout) => Err(Failure::stdout(&source)),
            Err(Error::Io { source, .. }) => Err(Failure::io(&name, &source)),
            Err(Error::FileExists { .. }) => Err(Failure::at(
                &name,
                "made by another program meanwhile, and left as that has made it; add --force to replace it",
            )),
            Err(Error::FileChanged { .. }) => Err(Failure::at(
                &name,
                "replaced or changed by another program since it was read, and left as that has made it; run this again",
            )),
            Err(error) => Err(Failure::at(&name, error)),
        }
    }
}

/// Do both names name the same file?
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Refuses an output that is also an input, even with `--force`. `what` names the input, for
/// example `a list`.
pub fn keep<'a>(
    output: Option<&Path>,
    what: &str,
    read: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Failure> {
    let Some(output) = output.filter(|output| output.is_file()) else {
        return Ok(());
    };
    match read.into_iter().any(|path| is_same_file(path, output)) {
        true => Err(Failure::at(
            &shown(output),
            format!("read here as {what}, which the output would replace; name another file with -o"),
        )),
        false => Ok(()),
    }
}

/// Refuses JSON and a filter in one stream.
pub fn refuse_both(json: bool, output: Option<&Path>) -> Result<(), Failure> {
    match json && output.is_some_and(|path| path.as_os_str() == "-") {
        true => Err(Failure::new("--json and -o - both write to standard output; name a file with -o")),
        false => Ok(()),
    }
}

/// Refuses a named pipe, whose reader may get a part of a filter. Pipes that the shell has opened
/// (`/dev/stdout`, `>(COMMAND)`) are none.
fn refuse_named_pipe(path: &Path, instead: &str) -> Result<(), Failure> {
    let is_of_shell = ["/dev/", "/proc/"].iter().any(|folder| path.starts_with(folder));
    let is_named = || path.canonicalize().is_ok();
    match fs::metadata(path) {
        Ok(found) if is_pipe(&found) && !is_of_shell && is_named() => Err(Failure::at(
            &shown(path),
            format!("a named pipe, which cannot be replaced as a whole; {instead}"),
        )),
        _ => Ok(()),
    }
}

#[cfg(unix)]
pub fn is_pipe(found: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type())
}

#[cfg(not(unix))]
pub fn is_pipe(_found: &fs::Metadata) -> bool {
    false
}

/// How many names a file has.
#[cfg(unix)]
fn links(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found).max(1)
}

#[cfg(not(unix))]
fn links(_found: &fs::Metadata) -> u64 {
    1
}

#[cfg(unix)]
fn is_socket(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_socket(_found: &fs::Metadata) -> bool {
    false
}

/// Opens a device or a pipe for writing.
fn stream(path: &Path) -> Result<fs::File, Failure> {
    fs::OpenOptions::new().write(true).open(path).map_err(|error| Failure::io(&shown(path), &error))
}

fn write(filter: &Opened, seal: Option<&SealKey>, writer: &mut impl Write) -> Result<(), Error> {
    match seal {
        Some(key) => filter.write_to_sealed(writer, key),
        None => filter.write_to(writer),
    }
}

/// The folder of a file.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
