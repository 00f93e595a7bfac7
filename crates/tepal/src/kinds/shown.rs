//! `Debug` of a kind.

/// Implements `Debug` for a kind by the answers of its own calls.
macro_rules! shown {
    ($kind:ident $(<$storage:ident: $bound:ident>)?: $($call:ident),+ $(,)?) => {
        impl $(<$storage: $bound>)? core::fmt::Debug for $kind $(<$storage>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($kind))
                    $(.field(stringify!($call), &self.$call()))+
                    .finish_non_exhaustive()
            }
        }
    };
}

pub(super) use shown;
