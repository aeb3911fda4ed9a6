//! The append-only list of finished trials from which an interrupted sweep resumes.
//!
//! One line a record: the first 16 hex digits of the BLAKE3 hash of the JSON text, a space, the text.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::ResultsError;
use super::record::TrialRecord;

/// First line of every journal; the number rises when older programs could not read it.
const HEADER: &str = "scaleproof journal 1";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The last line has no end: the process died while writing it.
    Torn,
    /// The text is not the one that was hashed.
    Checksum,
    /// The text was hashed as it is, but is no record.
    Unreadable(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Torn => formatter.write_str("torn: its end is missing"),
            Damage::Checksum => formatter.write_str("damaged: the checksum does not match"),
            Damage::Unreadable(reason) => write!(formatter, "not a record: {reason}"),
        }
    }
}

/// A line that could not be used; its trial is run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// Counted from 1.
    pub line: usize,
    pub damage: Damage,
}

/// What a journal still holds.
#[derive(Debug, Default)]
pub struct Recovered {
    pub records: Vec<TrialRecord>,
    pub damaged: Vec<DamagedLine>,
    /// Whether the last line lacks its end.
    torn: bool,
}

impl Recovered {
    /// Reads without opening for writing; a missing journal is an empty one.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let failed = |error: std::io::Error| ResultsError::file(path, "read", &error);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Recovered::default()),
            Err(error) => return Err(failed(error)),
        };
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(ResultsError::content(
                path,
                "it is not a regular file",
                "move it away, or name another --out folder",
            ));
        }
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut recovered = Recovered::default();
        let mut bytes = Vec::new();
        let mut line = 0;
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(failed)? == 0 {
                return Ok(recovered);
            }
            line += 1;
            let whole = bytes.pop_if(|last| *last == b'\n').is_some();
            recovered.torn = !whole;
            if line == 1 && bytes.starts_with(b"scaleproof journal ") {
                if whole && bytes != HEADER.as_bytes() {
                    return Err(ResultsError::content(
                        path,
                        format!("its format is `{}`, this program reads `{HEADER}`", String::from_utf8_lossy(&bytes)),
                        "use the version of scaleproof that wrote it, or another --out folder",
                    ));
                }
                continue;
            }
            match parse(&bytes) {
                Ok(record) => recovered.records.push(record),
                Err(damage) => {
                    let damage = if whole { damage } else { Damage::Torn };
                    recovered.damaged.push(DamagedLine { line, damage });
                }
            }
        }
    }
}

fn parse(line: &[u8]) -> Result<TrialRecord, Damage> {
    let (sum, text) = line.split_at_checked(17).ok_or(Damage::Checksum)?;
    if sum[16] != b' ' || sum[..16] != *checksum(text).as_bytes() {
        return Err(Damage::Checksum);
    }
    serde_json::from_slice(text).map_err(|error| Damage::Unreadable(error.to_string()))
}

fn checksum(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..16].to_owned()
}

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Journal {
    /// Opens or starts the journal; a torn tail is closed off so that the next record starts a line of its own.
    pub fn open(path: &Path) -> Result<(Self, Recovered), ResultsError> {
        let recovered = Recovered::read(path)?;
        let failed = |error: std::io::Error| ResultsError::file(path, "open", &error);
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut journal = Journal { path: path.to_owned(), file, length };
        if length == 0 {
            journal.write(format!("{HEADER}\n").as_bytes())?;
        } else if recovered.torn {
            journal.write(b"\n")?;
        }
        Ok((journal, recovered))
    }

    /// Appends records and flushes them to disk; only then do their trials count.
    pub fn append(&mut self, records: &[TrialRecord]) -> Result<(), ResultsError> {
        let mut bytes = Vec::with_capacity(records.len() * 600);
        for record in records {
            let text = serde_json::to_vec(record)
                .map_err(|error| ResultsError::content(&self.path, error, "report this as a bug"))?;
            bytes.extend_from_slice(checksum(&text).as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(&text);
            bytes.push(b'\n');
        }
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ResultsError> {
        match self.file.write_all(bytes).and_then(|()| self.file.sync_data()) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Half a record on a full disk is cut off again; if that fails too, the checksum finds it.
                let _ = self.file.set_len(self.length);
                Err(ResultsError::file(&self.path, "write", &error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::record::{Figures, Status};
    use crate::spec::TrialId;
    use proptest::prelude::*;

    fn record(number: u64) -> TrialRecord {
        let trial = TrialId::try_from(format!("{number:016x}")).unwrap();
        let figures = Figures {
            train_rmse: number as f64 + 0.1,
            test_rmse: 4.79,
            train_rmse_scaled: 0.04,
            test_rmse_scaled: 0.04,
            naive_train_rmse: 4.3,
            naive_test_rmse: 4.3,
            final_loss: 1e-3,
        };
        TrialRecord {
            trial,
            seed: number,
            status: Status::Ok(figures),
            device: "cpu logical x1".into(),
            cohort: trial,
            predicting_distance: Some(0.0),
            prediction_spread: Some(1.0),
            wall_seconds: 0.5,
        }
    }

    fn written(count: u64) -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.append(&(0..count).map(record).collect::<Vec<_>>()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (folder, path, bytes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Cut anywhere, every whole record is kept and the next append is readable.
        #[test]
        fn a_cut_journal_keeps_its_whole_records(share in 0.0f64..1.0) {
            let (_folder, path, bytes) = written(4);
            let length = (bytes.len() as f64 * share) as usize;
            std::fs::write(&path, &bytes[..length]).unwrap();
            let whole = bytes[..length].iter().filter(|byte| **byte == b'\n').count().saturating_sub(1);
            let (mut journal, recovered) = Journal::open(&path).unwrap();
            // A record whose text is whole and only lacks its line end counts too.
            prop_assert!(recovered.records.len() == whole || recovered.records.len() == whole + 1);
            for (index, kept) in recovered.records.iter().enumerate() {
                prop_assert_eq!(kept, &record(index as u64));
            }
            journal.append(&[record(9)]).unwrap();
            let again = Recovered::read(&path).unwrap();
            prop_assert_eq!(again.records.last(), Some(&record(9)));
            prop_assert_eq!(again.records.len(), recovered.records.len() + 1);
        }

        /// A flipped byte costs the records it touches, and they are reported.
        #[test]
        fn a_flipped_byte_is_reported_and_the_rest_kept(position in 22usize..1500, mask in 1u8..=255) {
            let (_folder, path, mut bytes) = written(4);
            prop_assume!(position < bytes.len());
            bytes[position] ^= mask;
            std::fs::write(&path, &bytes).unwrap();
            let recovered = Recovered::read(&path).unwrap();
            prop_assert!(recovered.records.len() >= 2);
            prop_assert!(!recovered.damaged.is_empty() || recovered.records.len() == 4);
            for kept in &recovered.records {
                prop_assert_eq!(kept, &record(kept.seed));
            }
        }
    }

    #[test]
    fn a_newer_format_is_refused_in_words() {
        let (_folder, path, _) = written(1);
        std::fs::write(&path, "scaleproof journal 2\n").unwrap();
        let message = Recovered::read(&path).unwrap_err().to_string();
        assert!(message.contains("journal 2") && message.contains("help:"), "{message}");
    }
}
