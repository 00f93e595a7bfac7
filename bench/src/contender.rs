//! What a filter must do to take part, and the adapters that let it in with a few lines.

/// How a row does its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// One call for each key.
    OneKey,
    /// One call for many keys.
    Batch,
    /// Not a filter but a part of the work that filters cannot avoid. Its answers mean nothing.
    Limit,
}

/// One row of a table: a filter sized for the case, asked in one way.
///
/// Rows of one name are one filter asked in several ways: they must give the same answers.
pub(crate) trait Contender<K> {
    /// Library and layout.
    fn name(&self) -> &str;
    /// How it is called.
    fn calls(&self) -> Calls;
    /// Bits of its array.
    fn bits(&self) -> u64;
    /// Forgets all keys, at the same size. Not timed.
    fn clear(&mut self);
    /// Inserts the keys. Timed.
    fn insert(&mut self, keys: &[K]);
    /// Asks for the keys; `answers` is as long as `keys`. Timed.
    fn contains(&self, keys: &[K], answers: &mut [bool]);
}

/// A filter with the closures that call it. They are type parameters, so the compiler sees through them
/// into the filter as it would in a user's loop.
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

/// A filter called once for many keys.
pub(crate) fn batch<K: 'static, F: 'static>(
    name: &'static str,
    bits: u64,
    filter: F,
    clear: impl Fn(&mut F) + 'static,
    insert: impl Fn(&mut F, &[K]) + 'static,
    contains: impl Fn(&F, &[K], &mut [bool]) + 'static,
) -> Box<dyn Contender<K>> {
    Box::new(Adapter { name, calls: Calls::Batch, bits, filter, clear, insert, contains })
}
