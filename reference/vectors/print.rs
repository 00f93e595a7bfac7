//! How the JSON files are laid out: the outer levels one value a line, the inner ones on that line, so that
//! a case is a line and a difference is easy to see.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// A value as JSON text. Objects and arrays down to depth `levels` have one value a line.
pub(crate) fn to_json(value: &impl Serialize, levels: usize) -> Result<String, String> {
    let mut text = Vec::new();
    let layout = Lines { levels, depth: 0, empty: true };
    value.serialize(&mut Serializer::with_formatter(&mut text, layout)).map_err(|error| error.to_string())?;
    text.push(b'\n');
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// Where the printer is.
struct Lines {
    /// Depth down to which every value has its own line.
    levels: usize,
    /// How many objects and arrays are open.
    depth: usize,
    /// Whether the innermost one has no value so far.
    empty: bool,
}

impl Lines {
    fn open<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &str) -> io::Result<()> {
        self.depth += 1;
        self.empty = true;
        writer.write_all(bracket.as_bytes())
    }

    fn close<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &str) -> io::Result<()> {
        let own_line = self.depth <= self.levels && !self.empty;
        self.depth -= 1;
        self.empty = false;
        if own_line {
            self.new_line(writer)?;
        }
        writer.write_all(bracket.as_bytes())
    }

    fn before_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth <= self.levels {
            self.new_line(writer)
        } else if first {
            Ok(())
        } else {
            writer.write_all(b" ")
        }
    }

    fn new_line<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        writer.write_all("  ".repeat(self.depth).as_bytes())
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, "[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, "]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.before_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.empty = false;
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, "{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, "}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.before_value(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.empty = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn outer_levels_are_lines_and_inner_levels_are_not() {
        let value = json!({"a": [[1, 2], {"b": 3, "c": []}], "d": []});
        let text = to_json(&value, 2).unwrap();
        assert_eq!(text, "{\n  \"a\": [\n    [1, 2],\n    {\"b\": 3, \"c\": []}\n  ],\n  \"d\": []\n}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
