//! A diagnosis in words, tables and one plot.

use crate::diagnose::{CheckStatus, Diagnosis, Outcome, Severity};

use super::figures::{counted, figure};
use super::table::table;

/// The verdict in one sentence.
pub fn verdict_sentence(diagnosis: &Diagnosis) -> String {
    let (suspect, baseline, metric) = (&diagnosis.suspect, &diagnosis.baseline, diagnosis.metric.words());
    let gap = format!(
        "mean {metric} {} against {}, a gap of {}",
        figure(diagnosis.suspect_mean),
        figure(diagnosis.baseline_mean),
        figure(diagnosis.gap)
    );
    if diagnosis.seeds == 0 {
        let violated: Vec<&str> = diagnosis
            .checks
            .iter()
            .filter(|check| matches!(check.status, CheckStatus::Violated | CheckStatus::Expected))
            .map(|check| check.id.as_str())
            .collect();
        return format!(
            "`{suspect}` and `{baseline}` have no finished trial in common to compare; violated checks: {}.",
            if violated.is_empty() { "none".to_owned() } else { violated.join(", ") }
        );
    }
    match diagnosis.verdict.outcome {
        Outcome::Equivalent => format!(
            "`{suspect}` and `{baseline}` are equivalent: {gap}, within {} either way.",
            figure(diagnosis.verdict.margin)
        ),
        Outcome::Inconclusive => format!(
            "Whether `{suspect}` differs from `{baseline}` is not decided by {}: {gap}.{}",
            counted(diagnosis.seeds, "seed"),
            diagnosis
                .verdict
                .seeds_needed
                .map_or(String::new(), |seeds| format!(" It would take about {seeds} seeds."))
        ),
        Outcome::Different => {
            let causes: Vec<String> = diagnosis
                .verdict
                .causes
                .iter()
                .map(|cause| format!("`{}` ({})", cause.factor.name(), signed(cause.share)))
                .collect();
            let causes = match causes.as_slice() {
                [] => "no factor's share stands out of the noise".to_owned(),
                [only] => format!("the cause is {only}"),
                many => format!("the causes are, largest first, {}", many.join(" and ")),
            };
            format!("`{suspect}` differs from `{baseline}`: {gap}; {causes}.")
        }
    }
}

pub fn section(diagnosis: &Diagnosis, plots: &[String]) -> String {
    let verdict = &diagnosis.verdict;
    let mut text = format!("## Diagnosis\n\n{}\n\n", verdict_sentence(diagnosis));
    for (rank, cause) in verdict.causes.iter().enumerate() {
        text.push_str(&format!(
            "{}. **{}**, {} of the gap of {}: {}. Remedy: {}.\n",
            rank + 1,
            cause.factor.name().replace('_', " "),
            signed(cause.share),
            figure(diagnosis.gap),
            cause.reason,
            cause.remedy
        ));
    }
    if !verdict.causes.is_empty() {
        text.push('\n');
    }
    for sentence in &verdict.hidden {
        text.push_str(&format!("One cause hides another: {sentence}.\n\n"));
    }
    if !verdict.cleared.is_empty() {
        let names: Vec<String> =
            verdict.cleared.iter().map(|one| format!("`{}` ({})", one.factor.name(), one.reason)).collect();
        text.push_str(&format!("Cleared: {}.\n\n", names.join("; ")));
    }
    if !verdict.undecided.is_empty() {
        let names: Vec<String> = verdict.undecided.iter().map(|one| format!("`{}`", one.factor.name())).collect();
        text.push_str(&format!("Not decided, more seeds are needed: {}.\n\n", names.join(", ")));
    }
    if plots.iter().any(|plot| plot == "shares.svg") {
        text.push_str("![From the baseline's figure to the suspect's, share by share](plots/shares.svg)\n\n");
    }
    text.push_str(&shares(diagnosis));
    text.push_str(&divergence(diagnosis));
    text.push_str(&checks(diagnosis));
    text
}

fn shares(diagnosis: &Diagnosis) -> String {
    if diagnosis.shares.is_empty() {
        return "The arms in between were not run, so the gap is not shared out.\n\n".into();
    }
    let mut rows: Vec<Vec<String>> = diagnosis
        .shares
        .iter()
        .map(|share| {
            let interval = format!("{} to {}", signed(share.low), signed(share.high));
            vec![share.factor.name().into(), signed(share.share), interval, percent(share.share, diagnosis.gap)]
        })
        .collect();
    rows.push(vec![
        "remainder".into(),
        signed(diagnosis.residual),
        String::new(),
        percent(diagnosis.residual, diagnosis.gap),
    ]);
    rows.push(vec![
        "**gap**".into(),
        signed(diagnosis.gap),
        format!("{} to {}", signed(diagnosis.gap_low), signed(diagnosis.gap_high)),
        percent(diagnosis.gap, diagnosis.gap),
    ]);
    let mut text = format!(
        "### Shares\n\n{}\nShapley shares of the gap in mean {}, over {}, paired, each with a paired bootstrap 95% interval.",
        table(&["factor", "share", "95% interval", "of the gap"], 1, &rows),
        diagnosis.metric.words(),
        counted(diagnosis.seeds, "seed")
    );
    if let Some(rounding) = diagnosis.rounding {
        text.push_str(&format!(" Moving every input by one rounding step changes the mean by {}.", signed(rounding)));
    }
    for interaction in &diagnosis.interactions {
        let sure = interaction.low > 0.0 || interaction.high < 0.0;
        if sure && interaction.size.abs() > 0.05 * diagnosis.gap.abs() {
            text.push_str(&format!(
                " `{}` and `{}` together do {} beyond what each does alone ({} to {}).",
                interaction.first.name(),
                interaction.second.name(),
                signed(interaction.size),
                signed(interaction.low),
                signed(interaction.high)
            ));
        }
    }
    text.push_str("\n\n");
    text
}

fn divergence(diagnosis: &Diagnosis) -> String {
    let mut text = String::from("### First divergence\n\n");
    match (&diagnosis.divergence, diagnosis.lockstep_recorded) {
        (Some(found), _) => text.push_str(&format!(
            "Started from equal weights on equal batches, the arms part at update {}, stage *{}*, in the {}: {} in `{}`, {} in `{}`; rounding allows {:.1e}.\n",
            found.update,
            found.stage,
            found.tensor,
            figure(found.baseline),
            diagnosis.baseline,
            figure(found.suspect),
            diagnosis.suspect,
            found.tolerance
        )),
        (None, true) => text.push_str("Started from equal weights on equal batches, the arms compute the same over the recorded updates, but for rounding.\n"),
        (None, false) => text.push_str("The arms were not recorded in lockstep.\n"),
    }
    if let Some(update) = diagnosis.losses_part_at {
        text.push_str(&format!("As trained, their loss curves part beyond seed noise from update {update} on.\n"));
    }
    text.push('\n');
    text
}

fn checks(diagnosis: &Diagnosis) -> String {
    let rows: Vec<Vec<String>> = diagnosis
        .checks
        .iter()
        .map(|check| {
            vec![format!("`{}`", check.id), status(check.status, check.severity).into(), check.evidence.clone()]
        })
        .collect();
    format!("### Checks\n\n{}\n", table(&["check", "status", "evidence"], 3, &rows))
}

pub fn status(status: CheckStatus, severity: Severity) -> &'static str {
    match (status, severity) {
        (CheckStatus::Holds, _) => "holds",
        (CheckStatus::Violated, Severity::Parity) => "**violated**",
        (CheckStatus::Violated, Severity::Advice) => "advice",
        (CheckStatus::Expected, _) => "violated, as expected",
        (CheckStatus::NotRun, _) => "not run",
    }
}

fn signed(value: f64) -> String {
    if value > 0.0 { format!("+{}", figure(value)) } else { figure(value) }
}

fn percent(share: f64, gap: f64) -> String {
    if gap == 0.0 { "none".into() } else { format!("{:.0}%", 100.0 * share / gap) }
}
