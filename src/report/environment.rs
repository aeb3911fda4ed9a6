//! What a run ran on, and the command that made it.

use crate::results::Environment;

pub fn section(environment: &Environment) -> String {
    let commit = match environment.git_commit.get(..12) {
        Some(short) if environment.git_dirty => format!("{short}, with changes that are not committed"),
        Some(short) => short.to_owned(),
        None => "not a git checkout".into(),
    };
    let mut text = format!(
        "## Environment\n\n- Made by `{}`\n- scaleproof {} (numerics {}), Burn {}, source {commit}\n- {}, {} threads, {}\n- Devices: {}\n",
        environment.command,
        environment.scaleproof,
        environment.numerics_version,
        environment.burn,
        environment.cpu,
        environment.threads,
        environment.os,
        environment.devices.join("; "),
    );
    if !environment.set.is_empty() {
        let set: Vec<String> = environment.set.iter().map(|change| format!("`{change}`")).collect();
        text.push_str(&format!("- Changed from the spec: {}\n", set.join(", ")));
    }
    text
}
