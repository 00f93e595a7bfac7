//! `tepal completions` and `tepal man`. Both are made from the definition of the command line in `args`.

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::Cli;
use crate::error::{Failure, Outcome};
use crate::output::Stdout;

/// Prints the completions of a shell.
pub fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tepal", &mut script);
    print(&script)
}

/// Prints the manual page, in roff.
pub fn man(verb: Option<&str>) -> Outcome {
    let mut command = Cli::command();
    command.build();
    let page = match verb {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(verb) => verb.clone(),
            None => return Err(Failure::new(format!("no verb {name:?}; see tepal --help"))),
        },
    };
    let mut roff = Vec::new();
    match Man::new(page).render(&mut roff) {
        Ok(()) => print(&roff),
        Err(error) => Err(Failure::new(error.to_string())),
    }
}

fn print(bytes: &[u8]) -> Outcome {
    let mut stdout = Stdout::new();
    stdout.write(bytes)?;
    stdout.flush()?;
    Ok(0)
}
