#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antler/runtime/program.h"

/// The interface between programs and executors other than the CPU's.
namespace antler::runtime {

/// Throws ValueError unless the arguments of a run are values of the specs of the program's inputs.
void check_arguments(std::span<const TensorSpec> inputs, std::span<const Tensor> arguments);

/// A graph compiled for a device. It gives the same guarantees as Program.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
  virtual Tensors run(std::span<const Tensor> arguments) = 0;
  virtual int64_t run(int64_t n, BatchFeed& feed, Tensors& outputs,
                      const Program::StepOutputs& each_step, int64_t period) = 0;
  virtual const ProgramMemory& memory_plan() const = 0;
  /// The text that the device's compiler was given.
  virtual std::string plan_text() const = 0;
  /// The number of kernels that the host starts per step: 1 if the device runs a single program.
  virtual int64_t kernel_count() const = 0;
};

/// A device as a user sees it.
struct DeviceInfo {
  std::string name;         ///< for config::set_device: "pjrt:cpu:0"
  std::string kind;         ///< as its driver names it: "NVIDIA H100 80GB HBM3"
  std::string driver;       ///< file and version
  int64_t memory = 0;       ///< bytes; 0 if the driver does not say
  int64_t memory_used = 0;  ///< bytes
};

/// Runs programs on devices other than the CPU.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  /// Compiles `graph` for the device with this name (config::device()). Returns null if the device
  /// cannot run it; it then runs on the CPU, and `reason` says why. Throws NotFoundError or
  /// ValueError if there is no such device.
  virtual std::unique_ptr<DeviceProgram> compile(const ir::Graph& graph,
                                                 const ProgramOptions& options,
                                                 const std::string& device,
                                                 std::string& reason) = 0;
  /// The devices of the plug-in that `device` names.
  virtual std::vector<DeviceInfo> devices(const std::string& device) = 0;
};

/// Installs the backend of the devices named "pjrt:..."; antler::pjrt does so when it is linked.
void set_device_backend(DeviceBackend* backend);
/// Throws ValueError if the program does not link one.
DeviceBackend& device_backend();

/// `graph` compiled for config::device(); null if that is the CPU, or if the graph has to run on
/// the CPU. Each reason for the latter is reported once, as a warning.
std::unique_ptr<DeviceProgram> compile_for_device(const ir::Graph& graph,
                                                  const ProgramOptions& options);

}  // namespace antler::runtime
