//! The files of the demo: the list, and the questions about it.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::iin::Iins;
use crate::error::Failure;
use crate::output::interrupt::UnfinishedFile;
use crate::random::Random;
use crate::text::message::shown;

/// Writes the list. Gives the first place of the order that is not on it.
pub fn write_list(iins: &Iins, keys: u64, path: &Path) -> Result<u64, Failure> {
    let mut place = 0;
    write_lines(path, |out| {
        for _ in 0..keys {
            out.write_all(&next_line(iins, &mut place))?;
        }
        Ok(())
    })?;
    Ok(place)
}

/// Writes the questions in random order. Gives for each whether it is on the list.
pub fn write_questions(
    iins: &Iins,
    seed: u64,
    end: u64,
    questions: u64,
    listed: u64,
    path: &Path,
) -> Result<Vec<bool>, Failure> {
    let mut random = Random::new(!seed);
    let mut truth = Vec::new();
    let mut left = listed;
    let mut next = end;
    write_lines(path, |out| {
        for asked in 0..questions {
            // Selection sampling: exactly `listed` questions are on the list, and each question is
            // equally likely to be.
            let is_listed = random.below(questions - asked) < left;
            let mut place = if is_listed { random.below(end) } else { next };
            let line = next_line(iins, &mut place);
            if is_listed && place > end {
                // The last places of the list had no number.
                place = 0;
                out.write_all(&next_line(iins, &mut place))?;
            } else {
                out.write_all(&line)?;
            }
            if is_listed {
                left -= 1;
            } else {
                next = place;
            }
            truth.push(is_listed);
        }
        Ok(())
    })?;
    Ok(truth)
}

/// The line of the first number from `place` on. `place` becomes the place after it.
fn next_line(iins: &Iins, place: &mut u64) -> [u8; 13] {
    let mut line = [b'\n'; 13];
    loop {
        // A list has at most `MOST_KEYS` numbers, so there are always places left. The remainder is
        // only for safety.
        let iin = iins.at(*place % iins.places());
        *place += 1;
        if let Some(iin) = iin {
            line[..12].copy_from_slice(&iin);
            return line;
        }
    }
}

/// Writes a file, which gets its name only when all of it is written.
fn write_lines(
    path: &Path,
    lines: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let write = || {
        let unfinished = UnfinishedFile::create(path)?;
        let mut out = BufWriter::with_capacity(1 << 18, &unfinished.file);
        lines(&mut out)?;
        out.flush()?;
        drop(out);
        unfinished.finish()
    };
    write().map_err(|error| Failure::io(&shown(path), &error))
}
