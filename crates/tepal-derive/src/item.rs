//! The parts of an item that a derive needs. The compiler has parsed the item, so its syntax is
//! right; types, bounds and defaults are passed on or left out as they are.

use proc_macro::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};

/// A struct, or the word that tells what else the item is.
pub(crate) struct Item {
    /// `struct`, `enum` or `union`.
    pub(crate) word: String,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// The predicates after `where`.
    pub(crate) predicates: TokenStream,
    pub(crate) fields: Fields,
}

/// A generic parameter.
pub(crate) struct Param {
    /// With its bounds, without its default.
    pub(crate) declared: TokenStream,
    /// As an argument of the type: `'a`, `T`, `N`.
    pub(crate) argument: TokenStream,
    pub(crate) is_type: bool,
}

/// The fields of a struct, in their order.
pub(crate) enum Fields {
    Named(Vec<Ident>),
    /// The place of each type, for messages.
    Numbered(Vec<Span>),
}

impl Item {
    /// `None` only if the tokens are no item.
    pub(crate) fn parse(item: TokenStream) -> Option<Item> {
        let mut tokens = item.into_iter();
        // Attributes and the visibility come before; what they contain is in groups.
        let word = tokens.by_ref().find_map(|token| match token {
            TokenTree::Ident(word) => {
                Some(word.to_string()).filter(|word| ["struct", "enum", "union"].contains(&word.as_str()))
            }
            _ => None,
        })?;
        let Some(TokenTree::Ident(name)) = tokens.next() else { return None };
        let mut tokens = tokens.peekable();
        let mut params = Vec::new();
        if tokens.next_if(|token| is_punct(token, '<')).is_some() {
            let mut depth = Depth::default();
            let inside: Vec<_> = tokens.by_ref().take_while(|token| !depth.ends(token)).collect();
            params = split(inside).into_iter().filter_map(Param::parse).collect();
        }
        let (mut fields, mut predicates) = (Fields::Numbered(Vec::new()), TokenStream::new());
        let mut depth = Depth::default();
        for token in tokens {
            let is_outside = depth.is_outside(&token);
            match token {
                TokenTree::Group(body) if is_outside && body.delimiter() == Delimiter::Brace => {
                    fields = Fields::named(body.stream());
                    break;
                }
                TokenTree::Group(body) if is_outside && predicates.is_empty() => {
                    fields = Fields::numbered(body.stream());
                }
                TokenTree::Punct(end) if end.as_char() == ';' => break,
                // Every other token is `where` or comes after it.
                token => predicates.extend([token]),
            }
        }
        let predicates = predicates.into_iter().skip(1).collect();
        Some(Item { word, name, params, predicates, fields })
    }
}

impl Param {
    fn parse(tokens: Vec<TokenTree>) -> Option<Param> {
        let mut tokens = without_attributes(&tokens).to_vec();
        // A lifetime that a macro has passed on is in a group without delimiters.
        if let [TokenTree::Group(passed), ..] = &tokens[..] {
            let passed = passed.stream();
            tokens.splice(..1, passed);
        }
        let mut depth = Depth::default();
        let is_default = |token: &TokenTree| depth.is_outside(token) && is_punct(token, '=');
        let end = tokens.iter().position(is_default).unwrap_or(tokens.len());
        tokens.truncate(end);
        let declared = tokens;
        let (argument, is_type) = match &declared[..] {
            [TokenTree::Punct(_), TokenTree::Ident(_), ..] => (&declared[..2], false),
            [TokenTree::Ident(word), name @ TokenTree::Ident(_), ..] if word.to_string() == "const" => {
                (std::slice::from_ref(name), false)
            }
            [name, ..] => (std::slice::from_ref(name), true),
            [] => return None,
        };
        let argument = argument.iter().cloned().collect();
        Some(Param { argument, is_type, declared: declared.into_iter().collect() })
    }
}

impl Fields {
    fn named(body: TokenStream) -> Fields {
        let name = |field: Vec<TokenTree>| {
            // The first colon: those of a path in the visibility are in a group.
            let colon = field.iter().position(|token| is_punct(token, ':'))?;
            match field.into_iter().nth(colon.checked_sub(1)?)? {
                TokenTree::Ident(name) => Some(name),
                _ => None,
            }
        };
        Fields::Named(split(body).into_iter().filter_map(name).collect())
    }

    fn numbered(body: TokenStream) -> Fields {
        let place = |field: Vec<TokenTree>| {
            let mut tokens = without_attributes(&field).iter();
            let mut token = tokens.next()?;
            if matches!(token, TokenTree::Ident(word) if word.to_string() == "pub") {
                token = tokens.next()?;
            }
            Some(token.span())
        };
        Fields::Numbered(split(body).into_iter().filter_map(place).collect())
    }
}

/// Counts angle brackets, which do not make a group of tokens.
#[derive(Default)]
struct Depth {
    open: usize,
    after_dash: bool,
}

impl Depth {
    /// Is the token outside all angle brackets?
    fn is_outside(&mut self, token: &TokenTree) -> bool {
        let before = self.open;
        // The `>` of an arrow closes nothing.
        match token {
            token if is_punct(token, '<') => self.open += 1,
            token if is_punct(token, '>') && !self.after_dash => self.open = before.saturating_sub(1),
            _ => {}
        }
        self.after_dash = matches!(token, TokenTree::Punct(dash) if dash.as_char() == '-' && dash.spacing() == Spacing::Joint);
        before == 0
    }

    /// Is the token the `>` that no `<` belongs to?
    fn ends(&mut self, token: &TokenTree) -> bool {
        let is_arrow = self.after_dash;
        self.is_outside(token) && is_punct(token, '>') && !is_arrow
    }
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// The pieces between commas that are outside all brackets, without empty ones.
fn split(tokens: impl IntoIterator<Item = TokenTree>) -> Vec<Vec<TokenTree>> {
    let (mut pieces, mut depth) = (vec![Vec::new()], Depth::default());
    for token in tokens {
        if depth.is_outside(&token) && is_punct(&token, ',') {
            pieces.push(Vec::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(token);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The tokens after the attributes.
fn without_attributes(mut tokens: &[TokenTree]) -> &[TokenTree] {
    while let [mark, TokenTree::Group(_), rest @ ..] = tokens {
        if !is_punct(mark, '#') {
            break;
        }
        tokens = rest;
    }
    tokens
}
