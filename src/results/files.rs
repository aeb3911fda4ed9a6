//! Whole files written so that a reader sees the old one or the new one, never half of one.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::error::ResultsError;

/// Writes beside the target, flushes to disk, then renames.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|error| ResultsError::file(parent, "make the folder", &error))?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&part, path)) {
        // The unfinished file is of no use to anyone; failing to remove it changes nothing.
        let _ = fs::remove_file(&part);
        return Err(ResultsError::file(path, "write", &error));
    }
    Ok(())
}

/// Leaves an equal file alone, so that its time stamp tells when it last changed.
pub fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool, ResultsError> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(false);
    }
    write_atomically(path, bytes)?;
    Ok(true)
}

pub fn read_text(path: &Path) -> Result<String, ResultsError> {
    fs::read_to_string(path).map_err(|error| ResultsError::file(path, "read", &error))
}
