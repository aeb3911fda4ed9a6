//! How far a sweep is: a bar on a terminal, a plain line every few seconds elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a log gets a line.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    name: String,
    total: usize,
    done: usize,
    begun: Instant,
    printed: Instant,
}

impl Progress {
    pub fn start(name: &str, total: usize, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet && total > 0).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            // A wrong template would be a bug of this line alone; the plain style still counts.
            if let Ok(style) =
                ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} trials, {per_sec}, {eta} left")
            {
                bar.set_style(style);
            }
            bar.set_prefix(name.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let now = Instant::now();
        Progress {
            bar,
            plain: !terminal && !quiet && total > 0,
            name: name.into(),
            total,
            done: 0,
            begun: now,
            printed: now,
        }
    }

    pub fn add(&mut self, trials: usize) {
        self.done += trials;
        if let Some(bar) = &self.bar {
            bar.inc(trials as u64);
        }
        let last = self.done == self.total;
        if self.plain && (last || self.printed.elapsed() >= PLAIN_EVERY) {
            self.printed = Instant::now();
            let rate = self.done as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
            let left = (self.total - self.done) as f64 / rate;
            eprintln!("{}: {} of {} trials, {rate:.1} a second, {left:.0} s left", self.name, self.done, self.total);
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
