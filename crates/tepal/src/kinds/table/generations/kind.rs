//! The traits of every filter, for an expiring filter.

use alloc::vec::Vec;

use super::ExpiringFilter;
use super::clock::Clock;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts, Window, WindowFacts};
use crate::ids::Operation;
use crate::key::{Batch, KeyRef};
use crate::kinds::AnyFilter;
use crate::kinds::calls::table_calls;
use crate::kinds::usual_facts::usual_facts;

impl ExpiringFilter {
    /// Removes all keys. The table keeps its size. A clock of time forgets its time
    /// ([`now`](Self::now) is `None`); a clock of keys restarts at 0.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for an opened file's
    /// table.
    pub fn clear(&mut self) -> Result<()> {
        self.core.table.clear()?;
        self.inserted = Some(0);
        self.clock = Clock::new(self.window(), self.generations())?;
        Ok(())
    }

    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            window: Some(WindowFacts {
                window: self.window(),
                generations: self.generations(),
                now: self.now(),
            }),
            tables: self.core.table_facts(self.inserted),
            ..usual_facts(self)
        }
    }
}

impl AnyFilter {
    /// This filter as one whose keys expire; `None` if it is another kind.
    ///
    /// ```
    /// use tepal::{AnyFilter, ExpiringFilter};
    /// let any = AnyFilter::from(ExpiringFilter::builder().window_of_keys(100).build()?);
    /// assert_eq!(any.as_timed().map(|recent| recent.generations()), Some(6));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn as_timed(&self) -> Option<&ExpiringFilter> {
        match self {
            AnyFilter::Expiring(filter) => Some(filter),
            _ => None,
        }
    }
}

table_calls! {
    ExpiringFilter: Expiring
    Inner {
        fn instead(&self, operation: Operation) -> Advice {
            match operation {
                Operation::Fold => advice!("build a smaller one: its keys come again, or expire"),
                Operation::BecomeStatic => {
                    advice!("its keys expire; build one of the keys to keep", Static)
                }
                Operation::Advance => advice!("its window is of keys: insert keys, or build it with a window of time", WindowLength),
                Operation::Unite | Operation::Intersect => {
                    advice!("insert the keys of both into one: of two windows of keys nobody knows which keys came first")
                }
                other => other.instead(),
            }
        }
    }
    InnerMut {
        fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
            self.insert_prepared_batch(keys, done)
        }
    }
    Filter {
        fn can(&self) -> Can {
            let of_time = matches!(self.window(), Window::Time(_));
            Can {
                insert: true,
                expire: true,
                set_over_capacity: true,
                refill: true,
                unite: of_time,
                intersect: of_time,
                ..Can::default()
            }
        }

        fn keys_inserted(&self) -> Option<u64> {
            self.inserted
        }
    }
    MutableFilter {
        fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
            self.insert(&key)
        }

        fn advance_to(&mut self, time: u64) -> Result<u64> {
            self.advance_to(time)
        }

        fn set_clock(&mut self, time: u64) -> Result<()> {
            self.set_clock(time)
        }
    }
}
