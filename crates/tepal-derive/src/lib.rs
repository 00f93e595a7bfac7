//! The derive macro of `tepal::Key`. Use it through the library, with its feature `derive`.
//!
//! It reads the item by itself, without a parser of all Rust: the names and the number of the
//! fields, and the generic parameters, are all that it needs.

mod item;

use proc_macro::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};

use item::{Fields, Item};

/// Makes a struct a key: its fields in their order, as a compound key (FORMAT.md, section 1.1.1).
///
/// The key is the same as that of the tuple of the fields, also in other languages. Names of
/// fields are not in the key; their order is, so another order makes other keys.
///
/// ```
/// use tepal::{BloomFilter, Key};
///
/// #[derive(Key)]
/// struct Visit {
///     user: u64,
///     page: String,
/// }
///
/// #[derive(Key)]
/// struct Click<'a, P>(Visit, P, &'a str); // a field can be any key, also a derived one
///
/// let mut seen = BloomFilter::builder().capacity(1000).build()?;
/// seen.insert(&Visit { user: 7, page: "/home".into() })?;
/// assert!(seen.contains(&(7, "/home")));      // the tuple of the fields is the same key
/// assert!(!seen.contains(&("/home", 7)));
///
/// seen.insert(&Click(Visit { user: 7, page: "/home".into() }, 'x', "left"))?;
/// assert!(seen.contains(&((7, "/home"), "x", "left")));
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// | the struct | the key |
/// | --- | --- |
/// | `struct A { b: u64, c: String }` | of the tuple `(b, c)` |
/// | `struct A(u64, String);` | the same |
/// | `struct A { b: u64 }` | of the tuple `(b,)`, which is not the key of `b` |
/// | `struct A;` and `struct A {}` | the compound key of no parts |
/// | `struct A<T> { b: u64, c: T }` | of the tuple `(b, c)`, if `T` is a key |
///
/// Every field must be a key. A struct with a field that is no key, such as a float, a `bool`, an
/// `Option` or a list, needs an implementation of its own: the page of the trait has examples.
///
/// ```compile_fail
/// #[derive(tepal::Key)]
/// struct Reading { sensor: u32, celsius: f64 }
/// ```
///
/// # What is refused
///
/// FORMAT.md has no key for an enum or a union. A tuple struct of one field is refused because it
/// could be meant in two ways. If it only wraps a value, return the key of this value:
///
/// ```compile_fail
/// #[derive(tepal::Key)]
/// struct Iin(String);
/// ```
///
/// ```
/// use tepal::{Key, KeyRef, KeySink};
///
/// struct Iin(String);
/// impl Key for Iin {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         self.0.key(sink)
///     }
/// }
///
/// enum Sign { Up, Down(u16) }
/// impl Key for Sign {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         match self {
///             Sign::Up => sink.put("up"),
///             Sign::Down(by) => sink.put("down").put(by),
///         }
///         .finish()
///     }
/// }
/// ```
///
/// ```compile_fail
/// #[derive(tepal::Key)]
/// enum Sign { Up, Down(u16) }
/// ```
#[proc_macro_derive(Key)]
pub fn key(item: TokenStream) -> TokenStream {
    let Some(item) = Item::parse(item) else {
        return error("`tepal::Key` is derived for a struct", Span::call_site());
    };
    if let Some(text) = refused(&item) {
        return error(&text, item.name.span());
    }
    implementation(item)
}

/// Why `Key` cannot be derived for an item.
fn refused(Item { word, name, fields, .. }: &Item) -> Option<String> {
    if word != "struct" {
        let advice = match &**word {
            "enum" => "put a word for each variant, and its fields after it",
            _ => "put the field that is in use",
        };
        return Some(format!(
            "`tepal::Key` cannot be derived for the {word} `{name}`: FORMAT.md has a key only for the fields of a \
             struct; implement `tepal::Key` and {advice}"
        ));
    }
    matches!(fields, Fields::Numbered(places) if places.len() == 1).then(|| {
        format!(
            "`tepal::Key` cannot be derived for `{name}`, which has one field without a name: the key of this field \
             and a compound key of one part are different keys; give the field a name for a compound key, or \
             implement `tepal::Key` and return `self.0.key(sink)`"
        )
    })
}

/// An item that the compiler refuses with this text, at this place.
fn error(text: &str, place: Span) -> TokenStream {
    let text = TokenStream::from(TokenTree::from(Literal::string(text)));
    at(tokens("::core::compile_error!").into_iter().chain(tokens_in(Delimiter::Brace, text)).collect(), place)
}

fn implementation(Item { name, params, predicates, fields, .. }: Item) -> TokenStream {
    let (mut declared, mut arguments, mut bounds) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for param in params {
        if param.is_type {
            bounds.extend(param.argument.clone());
            bounds.extend(tokens(": ::tepal::Key,"));
        }
        declared.extend(param.declared.into_iter().chain(tokens(",")));
        arguments.extend(param.argument.into_iter().chain(tokens(",")));
    }
    // A predicate may have a comma behind it, and two commas are an error.
    bounds.extend(predicates);

    let fields: Vec<(TokenTree, Span)> = match fields {
        Fields::Named(names) => names.into_iter().map(|name| (name.clone().into(), name.span())).collect(),
        Fields::Numbered(places) => places
            .into_iter()
            .enumerate()
            .map(|(number, place)| (Literal::usize_unsuffixed(number).into(), place))
            .collect(),
    };
    let mut body = TokenStream::new();
    for (field, place) in fields {
        // A field that is no key is an error at the field.
        let mut part = at(tokens("__sink, &self."), place);
        part.extend([field]);
        body.extend(tokens("::tepal::KeySink::put"));
        body.extend(tokens_in(Delimiter::Parenthesis, part));
        body.extend(tokens(";"));
    }
    body.extend(tokens("::tepal::KeySink::finish(__sink)"));

    let mut implementation = tokens("#[automatically_derived] impl <");
    implementation.extend(declared);
    implementation.extend(tokens("> ::tepal::Key for"));
    implementation.extend([TokenTree::from(name)]);
    implementation.extend(tokens("<"));
    implementation.extend(arguments);
    implementation.extend(tokens("> where"));
    implementation.extend(bounds);
    let mut method = tokens(
        "#[inline] fn key<'__key>(&'__key self, __sink: &'__key mut ::tepal::KeySink) -> ::tepal::KeyRef<'__key>",
    );
    method.extend(tokens_in(Delimiter::Brace, body));
    implementation.extend(tokens_in(Delimiter::Brace, method));
    implementation
}

/// The tokens of a text of this file.
fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

fn tokens_in(delimiter: Delimiter, inside: TokenStream) -> TokenStream {
    TokenTree::from(Group::new(delimiter, inside)).into()
}

/// The tokens, for messages at this place; their names keep their meaning.
fn at(tokens: TokenStream, place: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        })
        .collect()
}

/// The example of the package's README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
