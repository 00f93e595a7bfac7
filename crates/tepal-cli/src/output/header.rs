//! The header row of the output.

use crate::input::pages::Page;
use crate::output::complain;

/// The one header row that is printed for the rows of all inputs: the first header row of an input.
#[derive(Default)]
pub struct Header(Option<Vec<u8>>);

impl Header {
    /// Is the first record of this page the header row to print? A warning names an input with
    /// another header row.
    pub fn is_first(&mut self, page: &Page<'_>) -> bool {
        let header = page.keys.batch.content(0);
        match &self.0 {
            None => {
                self.0 = Some(header.to_vec());
                return true;
            }
            Some(first) if first != header => {
                let text = "its header row is another than that of the first input; its rows are printed as they stand";
                complain(&format!("{}: {text}", page.name));
            }
            Some(_) => {}
        }
        false
    }
}
