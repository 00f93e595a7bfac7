//! Groups of kinds, for a test that would take long over all of them.

use tepal::Kind;

use super::kinds::Subject;

/// The groups of kinds that a long test is divided into: a test of each runs beside the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Group {
    /// Bloom filters with this layout.
    Line,
    Double,
    SplitBlock,
    Scattered,
    /// Bloom filters with the schemes and files of other programs, and chains.
    Others,
    Tables,
    Statics,
}

impl Group {
    fn of(subject: &dyn Subject) -> Group {
        match subject.kind() {
            Kind::Bloom => {
                let layouts = [
                    ("line-", Group::Line),
                    ("double-", Group::Double),
                    ("split-block-", Group::SplitBlock),
                    ("scattered-", Group::Scattered),
                ];
                let found = layouts.iter().find(|(start, _)| subject.name().starts_with(start));
                found.map_or(Group::Others, |(_, group)| *group)
            }
            Kind::Scalable => Group::Others,
            Kind::Quotient | Kind::Expiring | Kind::Segment | Kind::Growing => Group::Tables,
            Kind::Ribbon | Kind::Map => Group::Statics,
            kind => panic!("{kind} belongs to no group: add it to one"),
        }
    }

    pub(crate) fn has(self, subject: &dyn Subject) -> bool {
        Group::of(subject) == self
    }

    /// Of these kinds those in the group.
    pub(crate) fn among(self, kinds: Vec<Box<dyn Subject>>) -> Vec<Box<dyn Subject>> {
        let found: Vec<_> = kinds.into_iter().filter(|kind| self.has(&**kind)).collect();
        assert!(!found.is_empty(), "no kind is in {self:?}");
        found
    }
}

/// A test for each group of kinds, or for each group whose filters change. The function in the
/// module around gets the group.
macro_rules! for_each_group {
    ($check:ident) => {
        $crate::shared::groups::for_each_group!(changing $check);

        #[cfg(feature = "static")]
        #[test]
        fn statics() {
            super::$check(Group::Statics);
        }
    };
    (changing $check:ident) => {
        use $crate::shared::groups::Group;

        #[test]
        fn line() {
            super::$check(Group::Line);
        }

        #[test]
        fn double() {
            super::$check(Group::Double);
        }

        #[test]
        fn split_block() {
            super::$check(Group::SplitBlock);
        }

        #[test]
        fn scattered() {
            super::$check(Group::Scattered);
        }

        #[cfg(any(feature = "extras", feature = "foreign"))]
        #[test]
        fn others() {
            super::$check(Group::Others);
        }

        #[cfg(feature = "table")]
        #[test]
        fn tables() {
            super::$check(Group::Tables);
        }
    };
}
pub(crate) use for_each_group;
