use super::*;

/// A pipe with a file of another program, or with one whose format is named, is read to its end;
/// nothing else is.
#[test]
fn files_of_other_programs_are_read_whole() {
    let text = [b'a'; 320];
    let read = |format: Option<Format>| {
        let open = format.map_or_else(Open::new, |format| Open::new().format(format));
        open.all_of(&mut &text[..], Open::check_header::<AnyFilter>).unwrap().len()
    };
    for &format in Format::ALL {
        assert_eq!(read(Some(format)), if format == Format::Tepal { START } else { 320 }, "{format}");
    }
    assert_eq!(read(None), START);
}
