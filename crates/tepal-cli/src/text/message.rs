//! Names, keys and errors of the system in words, for messages of one line.

use std::io;
use std::path::Path;

/// An I/O error in words, without the number of the operating system.
pub fn io_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "a directory; expected a file".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the device".to_owned(),
        io::ErrorKind::FileTooLarge => {
            "a file may not be as large as this one becomes; raise the limit (ulimit -f), or write to another file system".to_owned()
        }
        _ => {
            let text = error.to_string();
            let plain = text.split(" (os error").next().unwrap_or(&text);
            let mut letters = plain.chars();
            match letters.next() {
                Some(first) => first.to_lowercase().chain(letters).collect(),
                None => "input or output failed".to_owned(),
            }
        }
    }
}

/// A path for a message. It stays on one line, whatever bytes it has.
pub fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}

/// Key bytes for a message: quoted, on one line, the first 60 characters.
pub fn shown_key(key: &[u8]) -> String {
    let text = String::from_utf8_lossy(&key[..key.len().min(400)]);
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() || key.len() > 400 {
        short.push('…');
    }
    format!("\"{}\"", one_line(&short))
}

/// Text quoted so that a shell reads it as one word.
pub fn for_shell(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Does the character move the cursor, end the line, or turn the direction of the text around it? A
/// terminal that gets one of these characters does not show the real text.
pub fn is_steering(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Escapes characters that steer ([`is_steering`]), so that a message stays on one line and shows
/// the real text.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_steering(letter) {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys_stay_on_one_line() {
        assert_eq!(shown(Path::new("a\nb\x1b[2J")), "a\\nb\\u{1b}[2J");
        assert_eq!(shown(Path::new("a\u{9b}2J\u{202e}txt\u{2028}b")), "a\\u{9b}2J\\u{202e}txt\\u{2028}b");
        assert_eq!(shown(Path::new("каз\u{200d}ақ")), "каз\u{200d}ақ");
        assert_eq!(shown_key(b"plain"), "\"plain\"");
        assert_eq!(shown_key(b"\xff\r"), "\"\u{fffd}\\r\"");
        assert_eq!(shown_key(&[b'x'; 1000]).chars().count(), 63);
        assert_eq!(shown_key(&[b'x'; 60]), format!("\"{}\"", "x".repeat(60)));
        assert_eq!(shown_key(&[b'x'; 61]), format!("\"{}…\"", "x".repeat(60)));
    }

    #[test]
    fn io_errors_have_no_number() {
        let error = io::Error::from_raw_os_error(5);
        assert!(!io_text(&error).contains("os error"), "{}", io_text(&error));
    }
}
