//! Opening the devices of an arm.

use burn::tensor::Device;

use crate::spec::DeviceKind;

/// Devices that cannot be had on this machine or in this build.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error(
        "device `cuda` is not in this build\n  help: build with `cargo build --release --features cuda`, or use `--device cpu`"
    )]
    NotCompiled,
    #[error(
        "device `cuda` needs the NVIDIA driver, and {missing} is not on this machine\n  help: install the driver, or use `--device cpu`"
    )]
    NoDriver { missing: &'static str },
    #[error(
        "{replicas} replicas need {replicas} CUDA devices, and this machine has {found}\n  help: lower `parallel.devices`, or use `--device cpu`"
    )]
    TooFew { replicas: usize, found: usize },
}

/// One device a replica, in rank order.
pub struct DeviceSet {
    pub devices: Vec<Device>,
    /// What results say they ran on, such as `cpu logical x4`.
    pub description: String,
}

impl DeviceSet {
    pub fn open(kind: DeviceKind, replicas: usize) -> Result<Self, DeviceError> {
        match kind {
            DeviceKind::Cpu => {
                Ok(DeviceSet { devices: vec![Device::flex(); replicas], description: describe(kind, replicas) })
            }
            DeviceKind::Cuda => cuda(replicas),
        }
    }
}

/// What results say an arm runs on.
pub fn describe(kind: DeviceKind, replicas: usize) -> String {
    match kind {
        DeviceKind::Cpu => format!("cpu logical x{replicas}"),
        DeviceKind::Cuda => format!("cuda x{replicas}"),
    }
}

#[cfg(not(feature = "cuda"))]
fn cuda(_replicas: usize) -> Result<DeviceSet, DeviceError> {
    Err(DeviceError::NotCompiled)
}

#[cfg(feature = "cuda")]
fn cuda(replicas: usize) -> Result<DeviceSet, DeviceError> {
    let found = cuda_devices()?;
    if found < replicas {
        return Err(DeviceError::TooFew { replicas, found });
    }
    Ok(DeviceSet {
        devices: (0..replicas).map(Device::cuda).collect(),
        description: describe(DeviceKind::Cuda, replicas),
    })
}

/// Asks the driver's own folder first: enumerating without a driver panics in Burn 0.22.
#[cfg(feature = "cuda")]
fn cuda_devices() -> Result<usize, DeviceError> {
    let present = std::fs::read_dir("/proc/driver/nvidia/gpus").map(|gpus| gpus.count()).unwrap_or(0);
    if present == 0 {
        return Err(DeviceError::NoDriver { missing: "/proc/driver/nvidia" });
    }
    Ok(present)
}

/// One line a kind of device: its name and what it is here.
pub fn list() -> Vec<(String, String)> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let cpu = format!("logical devices, a thread a replica, on {threads} cores (Burn flex)");
    let cuda = match DeviceSet::open(DeviceKind::Cuda, 1) {
        Ok(set) => format!("available ({})", set.description),
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    vec![("cpu".into(), cpu), ("cuda".into(), cuda)]
}
