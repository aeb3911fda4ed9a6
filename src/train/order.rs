//! The order in which a trial sees its training windows.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;

use super::random::{Purpose, generator};

/// Gives the order of one epoch after another.
pub enum Order {
    Shuffled { generator: Box<ChaCha20Rng>, windows: Vec<u32> },
    Fixed(Vec<u32>),
    Stored(std::vec::IntoIter<Vec<u32>>),
}

impl Order {
    pub fn new(seed: u64, windows: usize, shuffle: bool, stored: Option<&Vec<Vec<u32>>>) -> Self {
        let in_turn = (0..windows as u32).collect();
        match (stored, shuffle) {
            (Some(stored), _) => Order::Stored(stored.clone().into_iter()),
            (None, true) => Order::Shuffled { generator: Box::new(generator(seed, Purpose::Order)), windows: in_turn },
            (None, false) => Order::Fixed(in_turn),
        }
    }

    /// The window numbers of the next epoch.
    pub fn next_epoch(&mut self) -> Vec<u32> {
        match self {
            Order::Shuffled { generator, windows } => {
                windows.shuffle(generator);
                windows.clone()
            }
            Order::Fixed(windows) => windows.clone(),
            // A stored order is checked to have every epoch when it is read.
            Order::Stored(epochs) => epochs.next().unwrap_or_default(),
        }
    }
}
