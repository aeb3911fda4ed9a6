use std::io;
use std::path::{Path, PathBuf};

/// A results folder that cannot be read or written: where, why, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error("{}: cannot {action}: {reason}\n  help: {remedy}", path.display())]
    File { path: PathBuf, action: &'static str, reason: String, remedy: &'static str },
    #[error("{}: held by {holder}\n  help: wait for it, or stop that process; the lock goes with it", path.display())]
    Held { path: PathBuf, holder: String },
    #[error("{}: cannot be used: {reason}\n  help: {remedy}", path.display())]
    Content { path: PathBuf, reason: String, remedy: &'static str },
}

impl ResultsError {
    pub fn file(path: &Path, action: &'static str, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space and run the same command again: finished trials are kept"
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                "make the folder writable, or name another with --out"
            }
            io::ErrorKind::NotFound => "run `scaleproof sweep` first, or check the path",
            _ => "mend the cause and run the same command again: finished trials are kept",
        };
        ResultsError::File { path: path.to_owned(), action, reason: error.to_string(), remedy }
    }

    pub fn content(path: &Path, reason: impl ToString, remedy: &'static str) -> Self {
        ResultsError::Content { path: path.to_owned(), reason: reason.to_string(), remedy }
    }
}
