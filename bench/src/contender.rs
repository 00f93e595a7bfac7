//! What a filter must do to take part, and the adapters that let it in with a few lines.

use std::thread;

/// How a row does its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// One call for each key.
    OneKey,
    /// One call for many keys.
    Batch,
    /// One call for all keys there are, which may reorder them, over so many threads. Timed by the
    /// clock where they are more than one, not in CPU time.
    Bulk(usize),
    /// So many threads share the filter, each with its part of the keys. Timed by the clock, not in
    /// CPU time.
    Threads(usize),
    /// Made in one call from all keys, and never changed: its insert column is the whole build.
    /// Asked with one call for each key.
    Static,
    /// Not a filter but a part of the work that filters cannot avoid. Its answers mean nothing.
    Limit,
}

impl Calls {
    /// What stands in the table.
    pub(crate) fn label(self) -> String {
        match self {
            Calls::OneKey => "one key".into(),
            Calls::Batch => "batch".into(),
            Calls::Bulk(1) => "bulk".into(),
            Calls::Bulk(n) => format!("bulk, {n} threads"),
            Calls::Threads(1) => "1 thread".into(),
            Calls::Threads(n) => format!("{n} threads"),
            Calls::Static => "static".into(),
            Calls::Limit => "limit".into(),
        }
    }

    /// Are questions handed over all at once? Else in pieces that stay in the cache.
    pub(crate) fn takes_all(self) -> bool {
        matches!(self, Calls::Bulk(_) | Calls::Threads(_))
    }

    /// Is it timed by the clock? The CPU time of several threads is their sum.
    pub(crate) fn by_the_clock(self) -> bool {
        matches!(self, Calls::Bulk(2..) | Calls::Threads(_))
    }
}

/// One row of a table: a filter sized for the case, asked in one way.
///
/// Rows of one name are one filter asked in several ways: they must give the same answers.
pub(crate) trait Contender<K> {
    /// Library and layout.
    fn name(&self) -> &str;
    /// How it is called.
    fn calls(&self) -> Calls;
    /// Bits of its array, once it holds its keys.
    fn bits(&self) -> u64;
    /// Forgets all keys, at the same size. Not timed.
    fn clear(&mut self);
    /// Inserts the keys. Timed.
    fn insert(&mut self, keys: &[K]);
    /// Asks for the keys; `answers` is as long as `keys`. Timed.
    fn contains(&self, keys: &[K], answers: &mut [bool]);
}

/// A filter with the closures that call it. They are type parameters, so the compiler sees through
/// them into the filter as it would in a user's loop.
struct Adapter<F, C, I, Q> {
    name: &'static str,
    calls: Calls,
    bits: u64,
    filter: F,
    clear: C,
    insert: I,
    contains: Q,
}

impl<K, F, C, I, Q> Contender<K> for Adapter<F, C, I, Q>
where
    C: Fn(&mut F),
    I: Fn(&mut F, &[K]),
    Q: Fn(&F, &[K], &mut [bool]),
{
    fn name(&self) -> &str {
        self.name
    }

    fn calls(&self) -> Calls {
        self.calls
    }

    fn bits(&self) -> u64 {
        self.bits
    }

    fn clear(&mut self) {
        (self.clear)(&mut self.filter);
    }

    fn insert(&mut self, keys: &[K]) {
        (self.insert)(&mut self.filter, keys);
    }

    fn contains(&self, keys: &[K], answers: &mut [bool]) {
        (self.contains)(&self.filter, keys, answers);
    }
}

/// A filter called once for each key.
pub(crate) fn one_key<K: 'static, F: 'static>(
    name: &'static str,
    bits: u64,
    filter: F,
    clear: impl Fn(&mut F) + 'static,
    insert: impl Fn(&mut F, &K) + 'static,
    contains: impl Fn(&F, &K) -> bool + 'static,
) -> Box<dyn Contender<K>> {
    let insert = move |filter: &mut F, keys: &[K]| {
        for key in keys {
            insert(filter, key);
        }
    };
    let contains = move |filter: &F, keys: &[K], answers: &mut [bool]| {
        for (key, answer) in keys.iter().zip(answers) {
            *answer = contains(filter, key);
        }
    };
    Box::new(Adapter { name, calls: Calls::OneKey, bits, filter, clear, insert, contains })
}

/// A filter called once for many keys: [`Calls::Batch`] or [`Calls::Bulk`].
pub(crate) fn many_keys<K: 'static, F: 'static>(
    (name, calls, bits): (&'static str, Calls, u64),
    filter: F,
    clear: impl Fn(&mut F) + 'static,
    insert: impl Fn(&mut F, &[K]) + 'static,
    contains: impl Fn(&F, &[K], &mut [bool]) + 'static,
) -> Box<dyn Contender<K>> {
    Box::new(Adapter { name, calls, bits, filter, clear, insert, contains })
}

/// A filter that `threads` threads share, each with its part of the keys.
pub(crate) fn shared<K: Sync + 'static, F: Sync + 'static>(
    (name, threads, bits): (&'static str, usize, u64),
    filter: F,
    clear: impl Fn(&mut F) + 'static,
    insert: impl Fn(&F, &[K]) + Sync + 'static,
    contains: impl Fn(&F, &[K], &mut [bool]) + Sync + 'static,
) -> Box<dyn Contender<K>> {
    let insert = move |filter: &mut F, keys: &[K]| {
        let (filter, insert) = (&*filter, &insert);
        thread::scope(|scope| {
            for keys in keys.chunks(keys.len().div_ceil(threads)) {
                scope.spawn(move || insert(filter, keys));
            }
        });
    };
    let contains = move |filter: &F, keys: &[K], answers: &mut [bool]| {
        let (contains, part) = (&contains, keys.len().div_ceil(threads));
        thread::scope(|scope| {
            for (keys, answers) in keys.chunks(part).zip(answers.chunks_mut(part)) {
                scope.spawn(move || contains(filter, keys, answers));
            }
        });
    };
    Box::new(Adapter { name, calls: Calls::Threads(threads), bits, filter, clear, insert, contains })
}

/// A filter made from all keys at once.
struct Made<F, B, Q> {
    name: &'static str,
    filter: Option<F>,
    build: B,
    bits: fn(&F) -> u64,
    contains: Q,
}

impl<K, F, B, Q> Contender<K> for Made<F, B, Q>
where
    B: Fn(&[K]) -> F,
    Q: Fn(&F, &K) -> bool,
{
    fn name(&self) -> &str {
        self.name
    }

    fn calls(&self) -> Calls {
        Calls::Static
    }

    fn bits(&self) -> u64 {
        self.filter.as_ref().map_or(0, self.bits)
    }

    fn clear(&mut self) {
        self.filter = None;
    }

    fn insert(&mut self, keys: &[K]) {
        self.filter = Some((self.build)(keys));
    }

    fn contains(&self, keys: &[K], answers: &mut [bool]) {
        let filter = self.filter.as_ref().expect("made before it is asked");
        for (key, answer) in keys.iter().zip(answers) {
            *answer = (self.contains)(filter, key);
        }
    }
}

/// A filter made from all keys at once: [`Calls::Static`].
pub(crate) fn made<K: 'static, F: 'static>(
    name: &'static str,
    build: impl Fn(&[K]) -> F + 'static,
    bits: fn(&F) -> u64,
    contains: impl Fn(&F, &K) -> bool + 'static,
) -> Box<dyn Contender<K>> {
    Box::new(Made { name, filter: None, build, bits, contains })
}
