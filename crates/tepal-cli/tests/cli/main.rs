//! The command as people run it: the real program, its bytes, its exit codes and its words.

mod answers;
#[cfg(unix)]
mod asked;
mod bad_records;
mod binary;
mod build;
mod deletable;
mod docs;
mod empty;
mod encodings;
mod errors;
mod estimates;
mod exact_on;
mod exceptions;
mod expiring;
#[cfg(target_os = "linux")]
mod few_files;
mod fidelity;
mod fields;
mod figures;
mod foreign;
mod forms;
mod golden;
mod growing;
mod guesses;
mod help;
#[cfg(unix)]
mod jobs;
mod json;
mod judging;
mod kept_inputs;
#[cfg(unix)]
mod killed;
#[cfg(target_os = "linux")]
mod limits;
#[path = "../shared/line_ends.rs"]
mod line_ends;
mod manners;
mod manual;
mod map;
mod marks;
mod model;
mod names;
#[cfg(unix)]
mod nothing_lost;
mod overwritten;
mod packed;
mod parquet;
#[cfg(all(feature = "parquet", target_os = "linux"))]
mod parquet_pages;
mod patches;
mod place;
mod plain;
mod quotes;
mod read_as;
#[cfg(unix)]
mod reload;
mod remove;
mod replaced;
mod ribbon;
mod rows;
mod schemes;
mod sealed;
mod segments;
mod separators;
mod shrink;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod steering;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(unix)]
mod terminal;
mod threads;
#[cfg(unix)]
#[path = "../shared/transcript.rs"]
mod transcript;
mod uniq;
mod uniq_kept;
#[cfg(unix)]
mod uniq_signals;
mod uniq_state;
mod uniq_window;
mod uniq_years;
mod unsaid;
mod verbs;
mod verify;
mod which;
mod whole;
#[cfg(unix)]
mod writers;
