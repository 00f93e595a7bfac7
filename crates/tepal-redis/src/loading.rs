//! A filter whose pieces arrive by `LOADCHUNK`. Nobody can look up in it before it is complete.

use tepal::file::Pairs;

use crate::reply::Refusal;
use crate::value::{About, Head, Held, check_kind, has_mark};
use crate::words::words;

/// The pieces so far.
#[derive(Clone)]
pub(crate) enum Loading {
    /// Of a filter of RedisBloom.
    Pairs(Pairs),
    /// Of a filter of the module's own: what stands before its file, and the bytes of the file.
    File { head: Box<Head>, first: Vec<u8>, pieces: Vec<Vec<u8>>, arrived: u64 },
}

fn bad(reason: impl std::fmt::Display) -> Refusal {
    Refusal::Text(format!("ERR received bad data: {reason}").into())
}

fn refused(error: tepal::Error) -> Refusal {
    bad(words(&error))
}

impl Loading {
    /// Begins with the data of the pair 1. Allocates nothing but a copy of it.
    pub(crate) fn new(first: &[u8]) -> Result<Self, Refusal> {
        if !has_mark(first) {
            return Pairs::new(first).map(Loading::Pairs).map_err(refused);
        }
        let head = Box::new(Head::read(first).map_err(bad)?);
        Ok(Loading::File { head, first: first.to_vec(), pieces: Vec::new(), arrived: 0 })
    }

    /// The bytes that follow the first pair.
    pub(crate) fn announced(&self) -> u64 {
        match self {
            Loading::Pairs(pairs) => pairs.announced(),
            Loading::File { head, .. } => head.file_len,
        }
    }

    /// Takes the next pair. After an error nothing has changed.
    pub(crate) fn push(&mut self, iterator: u64, data: &[u8]) -> Result<(), Refusal> {
        match self {
            Loading::Pairs(pairs) => pairs.push(iterator, data).map_err(refused),
            Loading::File { head, pieces, arrived, .. } => {
                let end = arrived.saturating_add(data.len() as u64);
                if data.is_empty() || end > head.file_len || iterator != end.saturating_add(1) {
                    return Err(bad(format_args!(
                        "a pair has the iterator {iterator} and {} bytes, which is not what comes next",
                        data.len()
                    )));
                }
                pieces.push(data.to_vec());
                *arrived = end;
                Ok(())
            }
        }
    }

    /// Gives the last pair up.
    pub(crate) fn pop(&mut self) {
        match self {
            Loading::Pairs(pairs) => drop(pairs.pop()),
            Loading::File { pieces, arrived, .. } => {
                *arrived -= pieces.pop().map_or(0, |piece| piece.len() as u64);
            }
        }
    }

    /// Whether all pieces have arrived.
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Loading::Pairs(pairs) => pairs.is_complete(),
            Loading::File { head, arrived, .. } => *arrived == head.file_len,
        }
    }

    /// The filter of all pieces.
    pub(crate) fn finish(&self) -> Result<Held, Refusal> {
        let held = match self {
            Loading::Pairs(pairs) => Held { file: pairs.finish().map_err(refused)?, about: About::default() },
            Loading::File { head, pieces, .. } => head.open(pieces).map_err(refused)?,
        };
        check_kind(held.filter()).map_err(bad)?;
        Ok(held)
    }

    /// All pairs so far.
    pub(crate) fn pairs(&self) -> Box<dyn Iterator<Item = (u64, &[u8])> + '_> {
        match self {
            Loading::Pairs(pairs) => Box::new(pairs.iter()),
            Loading::File { first, pieces, .. } => {
                let mut at = 1;
                let rest = pieces.iter().map(move |piece| {
                    at += piece.len() as u64;
                    (at, piece.as_slice())
                });
                Box::new(std::iter::once((1, first.as_slice())).chain(rest))
            }
        }
    }
}
