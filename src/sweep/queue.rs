//! Cohorts handed to workers, so that their replicas never outnumber the cores.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Something that needs a number of cores at once.
pub trait Task {
    /// At least 1.
    fn cores(&self) -> usize;
}

struct State<T> {
    /// In order of preference.
    waiting: Vec<T>,
    free: usize,
    closed: bool,
}

/// Tasks waiting for cores.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    cores: usize,
}

impl<T: Task> Queue<T> {
    pub fn new(tasks: Vec<T>, cores: usize) -> Self {
        let state = State { waiting: tasks, free: cores, closed: false };
        Queue { state: Mutex::new(state), changed: Condvar::new(), cores }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // A worker that panicked holds no half-made state: every change here is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn needed(&self, task: &T) -> usize {
        task.cores().clamp(1, self.cores)
    }

    /// The first task that fits the free cores; `None` once there are no more.
    pub fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.closed || state.waiting.is_empty() {
                return None;
            }
            if let Some(index) = state.waiting.iter().position(|task| self.needed(task) <= state.free) {
                let task = state.waiting.remove(index);
                state.free -= self.needed(&task);
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives a finished task's cores back.
    pub fn release(&self, cores: usize) {
        self.lock().free += cores.clamp(1, self.cores);
        self.changed.notify_all();
    }

    /// Hands out nothing more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}
