//! Whole files written so that a reader sees the old one or the new one, never half of one.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::error::ResultsError;

/// Writes beside the target, flushes to disk, then renames.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|error| ResultsError::file(parent, "make the folder", &error))?;
    // The unfinished file goes away by itself where anything fails.
    tempfile::Builder::new()
        .suffix(".part")
        .tempfile_in(parent)
        .and_then(|mut part| {
            part.write_all(bytes)?;
            part.as_file().sync_all()?;
            readable_by_all(part.as_file())?;
            part.persist(path).map_err(|error| error.error)?;
            Ok(())
        })
        .map_err(|error| ResultsError::file(path, "write", &error))?;
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

/// Temporary files are private; results are not.
#[cfg(unix)]
fn readable_by_all(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_file: &File) -> std::io::Result<()> {
    Ok(())
}
