//! One writer a results folder; the system drops the lock with the process, even a killed one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::error::ResultsError;

/// Held for as long as this process writes to the folder.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    pub fn acquire(path: &Path) -> Result<Self, ResultsError> {
        let failed = |error: std::io::Error| ResultsError::file(path, "lock", &error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // A holder that has not yet written its name is still a holder.
                let _ = file.read_to_string(&mut holder);
                let holder = if holder.is_empty() { "another process".into() } else { holder.trim().into() };
                return Err(ResultsError::Held { path: path.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        file.rewind().map_err(failed)?;
        writeln!(file, "process {}", std::process::id()).map_err(failed)?;
        Ok(FolderLock { _file: file })
    }
}
