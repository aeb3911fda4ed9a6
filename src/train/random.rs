//! Random numbers of a trial: one documented generator a purpose, so that arms pair by seed.

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

/// What numbers are drawn for. Arms that differ elsewhere still draw the same numbers for the same purpose.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Initial weights of the model that is trained, be it the template or a relocated clone: both draw from the
    /// same distribution, and so a trained model starts from the same weights with relocation and without.
    TrainedWeights = 0,
    /// Initial weights of a template that a relocating wrapper leaves alone.
    TemplateWeights = 1,
    /// The order of the windows in every epoch.
    Order = 2,
    /// Dropout masks.
    Dropout = 3,
}

/// ChaCha20 (Bernstein 2008) keyed by the seed, with the purpose as its stream.
pub fn generator(seed: u64, purpose: Purpose) -> ChaCha20Rng {
    let mut generator = ChaCha20Rng::seed_from_u64(seed);
    generator.set_stream(purpose as u64);
    generator
}
