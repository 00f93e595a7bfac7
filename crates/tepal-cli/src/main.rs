//! The program `tepal`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tepal_cli::main()
}
