//! An SVG of lines, dots and texts, for light and dark pages. It keeps the box of each text.

use std::error::Error;
use std::fmt::Write;

/// A place, in pixels from the top left.
pub(super) type Point = (f64, f64);

/// What a part of the picture is about; it gives the part its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Tepal,
    Peer,
    /// What no filter can be below: dashed.
    Limit,
    Ink,
    Grid,
}

/// Class, and colour on a light page and on a dark one.
const COLOURS: [(&str, &str, &str); 6] = [
    ("paper", "#ffffff", "#0d1117"),
    ("tepal", "#0b62c4", "#58a6ff"),
    ("peer", "#6b727b", "#9aa2ac"),
    ("limit", "#1f2328", "#e6edf3"),
    ("ink", "#1f2328", "#e6edf3"),
    ("grid", "#d8dde3", "#30363d"),
];

const STYLE: &str = "text{font-family:system-ui,-apple-system,\"Segoe UI\",Helvetica,Arial,sans-serif}\
    text,circle,rect{fill:currentColor}\
    path{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}\
    path.limit{stroke-dasharray:6 4}path.thin{stroke-width:1;stroke-opacity:.6;stroke-dasharray:none}\
    .bold{font-weight:600}";

impl Role {
    fn class(self) -> &'static str {
        match self {
            Role::Tepal => "tepal",
            Role::Peer => "peer",
            Role::Limit => "limit",
            Role::Ink => "ink",
            Role::Grid => "grid",
        }
    }
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Size and weight of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) bold: bool,
}

/// The box of a text.
#[derive(Debug)]
struct Area {
    text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// A picture that is being drawn.
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
    texts: Vec<Area>,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Svg { width, height, body: String::new(), texts: Vec::new() }
    }

    /// A line through these points, thick or thin.
    pub(super) fn line(&mut self, points: &[Point], role: Role, thin: bool) {
        let thin = if thin { " thin" } else { "" };
        let _ = write!(self.body, "<path class=\"{}{thin}\" d=\"", role.class());
        for (i, (x, y)) in points.iter().enumerate() {
            let _ = write!(self.body, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
        }
        self.body += "\"/>\n";
    }

    pub(super) fn dot(&mut self, (x, y): Point, role: Role) {
        let _ =
            writeln!(self.body, "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>", role.class());
    }

    /// A text whose baseline starts, ends or has its middle here.
    pub(super) fn text(&mut self, (x, y): Point, anchor: Anchor, font: Font, role: Role, text: &str) {
        let Font { size, bold } = font;
        // No font of the style is wider on average.
        let width = text.chars().count() as f64 * size * if bold { 0.62 } else { 0.58 };
        let (name, left) = match anchor {
            Anchor::Start => ("start", x),
            Anchor::Middle => ("middle", x - width / 2.0),
            Anchor::End => ("end", x - width),
        };
        let text_area = Area {
            text: text.into(),
            left,
            right: left + width,
            top: y - 0.9 * size,
            bottom: y + 0.25 * size,
        };
        self.texts.push(text_area);
        let bold = if bold { " bold" } else { "" };
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.body,
            "<text class=\"{}{bold}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{name}\">{escaped}\
             </text>",
            role.class(),
        );
    }

    /// Would this text, in the middle of its place, cover another one?
    pub(super) fn would_cover(&self, (x, y): Point, font: Font, text: &str) -> bool {
        let mut alone = Svg::new(self.width, self.height);
        alone.text((x, y), Anchor::Middle, font, Role::Ink, text);
        self.texts.iter().any(|other| other.meets(&alone.texts[0]))
    }

    /// The file.
    ///
    /// # Errors
    /// If a text covers another one or leaves the picture.
    pub(super) fn finish(self, title: &str) -> Result<String, Box<dyn Error>> {
        for (i, text) in self.texts.iter().enumerate() {
            if let Some(other) = self.texts[..i].iter().find(|other| other.meets(text)) {
                return Err(format!("'{}' would cover '{}'", text.text, other.text).into());
            }
            if text.left < 0.0 || text.right > self.width || text.top < 0.0 || text.bottom > self.height {
                return Err(format!("'{}' would leave the picture", text.text).into());
            }
        }
        let (width, height) = (self.width, self.height);
        let colours = |dark: bool| -> String {
            let rule = |(class, light, night): &(&str, &str, &str)| {
                format!(".{class}{{color:{}}}", if dark { night } else { light })
            };
            COLOURS.iter().map(rule).collect()
        };
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}{}\n\
             @media (prefers-color-scheme:dark){{{}}}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            colours(false),
            colours(true),
            self.body
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font { size: 10.0, bold: false };

    #[test]
    fn texts_that_cover_each_other_are_refused() {
        let mut svg = Svg::new(200.0, 100.0);
        svg.text((10.0, 20.0), Anchor::Start, FONT, Role::Ink, "below");
        svg.text((10.0, 32.0), Anchor::Start, FONT, Role::Ink, "above");
        assert!(svg.would_cover((20.0, 26.0), FONT, "between"));
        svg.text((15.0, 26.0), Anchor::Start, FONT, Role::Ink, "between");
        let error = svg.finish("texts").expect_err("two texts are covered").to_string();
        assert_eq!(error, "'between' would cover 'below'");
    }

    #[test]
    fn a_text_that_leaves_the_picture_is_refused() {
        let mut svg = Svg::new(200.0, 100.0);
        svg.text((180.0, 20.0), Anchor::Start, FONT, Role::Ink, "a long name");
        assert_eq!(
            svg.finish("texts").expect_err("too long").to_string(),
            "'a long name' would leave the picture"
        );
    }
}
