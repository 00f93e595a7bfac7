//! Writing a file so that whoever looks sees the old one or the new one, whole.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::chunks;
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// Writes the file to `out`. Buffering is the caller's; the pieces are 64 KiB.
    ///
    /// # Errors
    /// [`Error::Io`] where `out` refuses; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        self.check_before_copying()?;
        self.write_pieces(&mut out).map_err(|source| Error::Io { doing: "writing a filter".into(), source })
    }

    /// Saves the filter as a file, atomically: the bytes go to a temporary file beside `path`, reach the
    /// disk, and then take the name. Whatever happens, `path` is the old file or the new one, whole.
    ///
    /// An existing file keeps its permissions, and its readers keep what they had opened. A symbolic link
    /// is followed.
    ///
    /// # Errors
    /// [`Error::Io`] where the system refuses; [`Error::Parameter`] where `path` is something that cannot be
    /// replaced by a file, such as a folder or a device; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.check_before_copying()?;
        let path = path.as_ref();
        let target = regular_target(path)?;
        let io = |source| Error::Io { doing: format!("{}: saving", path.display()), source };
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(target.file_name().unwrap_or(OsStr::new("filter")));
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".tepal-tmp");
        #[cfg(unix)]
        {
            // What a new file gets; the umask still applies. tempfile's own choice is 0600.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut temporary = builder.tempfile_in(folder).map_err(io)?;
        self.write_pieces(temporary.as_file_mut()).map_err(io)?;
        if let Ok(old) = fs::metadata(&target) {
            temporary.as_file().set_permissions(old.permissions()).map_err(io)?;
        }
        temporary.as_file().sync_all().map_err(io)?;
        temporary.persist(&target).map_err(|error| io(error.error))?;
        #[cfg(unix)]
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
        Ok(())
    }

    fn write_pieces(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.file_head())?;
        chunks(self.lines.as_ref()).try_for_each(|chunk| out.write_all(&chunk))?;
        out.flush()
    }
}

/// The file behind `path`, links followed, which must be a regular one or not there yet.
fn regular_target(path: &Path) -> Result<PathBuf> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() => {
            let kind = if found.is_dir() { "a folder" } else { "a device, pipe or socket" };
            Err(Error::parameter(
                "the place to save to",
                format_args!("{} ({kind})", path.display()),
                "a regular file or a new name",
            ))
        }
        _ => Ok(target),
    }
}
