# Every recipe wraps a command that works without just.

# Train what is missing, diagnose, report: all of experiments/ or the specs named
sweep *args:
    cargo run --release -- sweep {{args}}

test:
    cargo test --release

report *args:
    cargo run --release -- report {{args}}

# Fresh results against the committed ones
check *args:
    cargo run --release -- check {{args}}

lint:
    cargo fmt --check
    cargo clippy --release --all-targets -- -D warnings

bench:
    cargo bench
