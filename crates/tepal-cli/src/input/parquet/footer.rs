//! Checks the footer of a Parquet file before the crate `parquet` reads it.
//!
//! The crate allocates by the length that a list claims, reads a list where the bytes say that
//! something else stands, and follows groups of columns to any depth. A forged footer would end
//! the program. So every list must be in the footer, every field that the crate reads must have
//! its type, and the columns must form one tree of limited depth.
//!
//! The footer is a struct in Thrift's compact protocol. Unknown fields are skipped.

use Is::{Binary, Encrypted, I16, I32, I64, List, NumChildren, Struct};

/// What is wrong with a footer.
#[derive(Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The file, or a column of it, is encrypted.
    Encrypted,
    /// No writer writes these bytes.
    Damaged(&'static str),
}

/// The type that a field must have.
enum Is {
    I16,
    I32,
    I64,
    Binary,
    /// A struct with these fields, by their ids; others are skipped.
    Struct(&'static [(i64, Is)]),
    List(&'static Is),
    /// The number of columns in a group of columns, an `I32`.
    NumChildren,
    /// A field that only encrypted files have.
    Encrypted,
}

const KEY_VALUE: Is = Struct(&[(1, Binary), (2, Binary)]);
const FILE: &[(i64, Is)] = &[
    (1, I32),
    (2, List(&Struct(ELEMENT))),
    (3, I64),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&KEY_VALUE)),
    (6, Binary),
    (7, List(&Struct(&[(1, Struct(&[]))]))),
    (8, Encrypted),
];
/// A column, or a group of columns.
const ELEMENT: &[(i64, Is)] = &[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, Binary),
    (5, NumChildren),
    (6, I32),
    (7, I32),
    (8, I32),
    (9, I32),
    (10, Struct(&[])),
];
const ROW_GROUP: &[(i64, Is)] =
    &[(1, List(&Struct(CHUNK))), (2, I64), (3, I64), (4, List(&Struct(&[(1, I32)]))), (5, I64), (7, I16)];
const CHUNK: &[(i64, Is)] = &[
    (1, Binary),
    (2, I64),
    (3, Struct(METADATA)),
    (4, I64),
    (5, I32),
    (6, I64),
    (7, I32),
    (8, Encrypted),
    (9, Encrypted),
];
const METADATA: &[(i64, Is)] = &[
    (1, I32),
    (2, List(&I32)),
    (3, List(&Binary)),
    (4, I32),
    (5, I64),
    (6, I64),
    (7, I64),
    (8, List(&KEY_VALUE)),
    (9, I64),
    (10, I64),
    (11, I64),
    (12, Struct(&[(1, Binary), (2, Binary), (3, I64), (4, I64), (5, Binary), (6, Binary)])),
    (13, List(&Struct(&[(1, I32), (2, I32), (3, I32)]))),
    (14, I64),
    (15, I32),
    (16, Struct(&[(1, I64), (2, List(&I64)), (3, List(&I64))])),
    (17, Struct(&[(1, Struct(&[])), (2, List(&I32))])),
];

/// Thrift's numbers of types.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// The largest depth of structs and lists in each other, and of groups of columns.
const DEPTH: u32 = 64;

/// Checks the bytes of a footer.
pub fn check(footer: &[u8]) -> Result<(), Wrong> {
    let mut walk = Walk { rest: footer, children: 0, tree: Vec::new() };
    walk.fields(FILE, DEPTH)?;
    is_tree(&walk.tree)
}

/// Do the numbers of children, in the order of the footer, belong to one tree of limited depth?
fn is_tree(tree: &[i32]) -> Result<(), Wrong> {
    let wrong = Err(Wrong::Damaged("its columns form no tree"));
    // The children that are still to come, of each group that is open.
    let mut open: Vec<i32> = Vec::new();
    for (i, &children) in tree.iter().enumerate() {
        match open.last_mut() {
            Some(left) => *left -= 1,
            None if i > 0 => return wrong,
            None => {}
        }
        if children < 0 || open.len() >= DEPTH as usize {
            return wrong;
        }
        open.push(children);
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    if open.is_empty() { Ok(()) } else { wrong }
}

struct Walk<'a> {
    rest: &'a [u8],
    /// The number of children of the present element.
    children: i32,
    /// The numbers of children of all elements.
    tree: Vec<i32>,
}

impl Walk<'_> {
    fn take(&mut self, len: u64) -> Result<(), Wrong> {
        let rest = usize::try_from(len).ok().and_then(|len| self.rest.get(len..));
        self.rest = rest.ok_or(Wrong::Damaged("it ends too early"))?;
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, Wrong> {
        let (first, rest) = self.rest.split_first().ok_or(Wrong::Damaged("it ends too early"))?;
        self.rest = rest;
        Ok(*first)
    }

    fn varint(&mut self) -> Result<u64, Wrong> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Wrong::Damaged("a number is longer than 64 bits"))
    }

    fn zigzag(&mut self) -> Result<i64, Wrong> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Walks through a struct with these fields.
    fn fields(&mut self, known: &'static [(i64, Is)], depth: u32) -> Result<(), Wrong> {
        let mut id = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            id = match head >> 4 {
                0 => self.zigzag()?,
                delta => id.saturating_add(delta.into()),
            };
            let (kind, is) = (head & 15, known.iter().find(|(known, _)| *known == id).map(|(_, is)| is));
            match kind {
                // The value of a boolean field is in its type.
                TRUE | FALSE if is.is_none() => {}
                _ => self.value(kind, is, depth)?,
            }
        }
    }

    /// Walks through a value that must be of this type, if that is known.
    fn value(&mut self, kind: u8, is: Option<&'static Is>, depth: u32) -> Result<(), Wrong> {
        let depth = depth.checked_sub(1).ok_or(Wrong::Damaged("values lie in each other too deep"))?;
        if is.is_some_and(|is| kind != is.kind()) && !matches!(is, Some(Encrypted)) {
            return Err(Wrong::Damaged("a value has another type than its place"));
        }
        match (kind, is) {
            (_, Some(Encrypted)) => Err(Wrong::Encrypted),
            (_, Some(NumChildren)) => {
                self.children =
                    i32::try_from(self.zigzag()?).map_err(|_| Wrong::Damaged("its columns form no tree"))?;
                Ok(())
            }
            (TRUE | FALSE | 3, _) => self.take(1),
            (4..=6, _) => self.varint().map(drop),
            (DOUBLE, _) => self.take(8),
            (BINARY, _) => {
                let len = self.varint()?;
                self.take(len)
            }
            (LIST | SET, is) => {
                let element = match is {
                    Some(List(element)) => Some(*element),
                    _ => None,
                };
                self.list(element, depth)
            }
            (MAP, _) => {
                let len = self.varint()?;
                let kinds = if len == 0 { 0 } else { self.byte()? };
                (0..len).try_for_each(|_| {
                    self.value(kinds >> 4, None, depth)?;
                    self.value(kinds & 15, None, depth)
                })
            }
            (STRUCT, Some(Struct(fields))) => self.fields(fields, depth),
            (STRUCT, _) => self.fields(&[], depth),
            (13, _) => self.take(16),
            _ => Err(Wrong::Damaged("a value has a type that does not exist")),
        }
    }

    fn list(&mut self, is: Option<&'static Is>, depth: u32) -> Result<(), Wrong> {
        let head = self.byte()?;
        let len = match head >> 4 {
            15 => self.varint()?,
            len => len.into(),
        };
        // Each element has a byte at least.
        if len > self.rest.len() as u64 || i32::try_from(len).is_err() {
            return Err(Wrong::Damaged("a list is longer than the rest"));
        }
        let is_element =
            is.is_some_and(|is| matches!(is, Struct(fields) if fields.as_ptr() == ELEMENT.as_ptr()));
        for _ in 0..len {
            self.children = 0;
            self.value(head & 15, is, depth)?;
            if is_element {
                self.tree.push(self.children);
            }
        }
        Ok(())
    }
}

impl Is {
    /// Thrift's number of the type.
    fn kind(&self) -> u8 {
        match self {
            I16 => 4,
            I32 | NumChildren => 5,
            I64 => 6,
            Binary => BINARY,
            List(_) => LIST,
            Struct(_) | Encrypted => STRUCT,
        }
    }
}
