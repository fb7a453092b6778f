#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Process-wide settings. Those about code and devices are read when a program is compiled.
namespace antler::config {

/// Threads that a program may use. Default: OMP_NUM_THREADS, or else the number of cores.
int threads();
/// Throws ValueError unless count >= 1.
void set_threads(int count);

/// Whether results are bitwise equal for any number of threads.
bool deterministic();
void deterministic(bool on);

/// Where compiled functions run: "cpu", or "pjrt:NAME_OR_PATH[:K]" for device K (default 0) of a
/// PJRT plug-in, in programs that link antler::pjrt; see docs/accelerators.md. Default: the
/// environment variable ANTLER_DEVICE, or else "cpu". Eager operations always run on the CPU.
const std::string& device();
/// Throws ValueError for a string of another form. Loads nothing: a plug-in is loaded when the
/// first function is compiled for it.
void set_device(std::string name);

/// Whether devices may multiply float32 matrices in TensorFloat-32, which has 10 bits of mantissa
/// (TensorFlow's `tf.config.experimental.enable_tensor_float_32_execution`). NVIDIA GPUs are
/// several times as fast with it; the CPU never does so. Default: true, as in TensorFlow, unless
/// the environment variable ANTLER_TF32 is 0.
bool tensor_float_32_execution();
void set_tensor_float_32_execution(bool on);

/// Runs functions op by op, without tracing them (Keras's run_functions_eagerly).
bool run_functions_eagerly();
void run_functions_eagerly(bool on);

/// Upper limits on the epochs of fit() and on the steps per epoch of fit(), evaluate() and
/// predict(), for smoke tests; nullopt: no limit. Defaults: the environment variables
/// KERAS_MAX_EPOCHS and KERAS_MAX_STEPS_PER_EPOCH. Throws ValueError for a number below 1.
std::optional<int64_t> max_epochs();
void set_max_epochs(std::optional<int64_t> epochs);
std::optional<int64_t> max_steps_per_epoch();
void set_max_steps_per_epoch(std::optional<int64_t> steps);

/// Names of compiler passes to skip.
const std::vector<std::string>& disabled_passes();
void set_disabled_passes(std::vector<std::string> names);

/// Receives a printout of a program after each stage of its compilation; empty: no dumps. The
/// environment variable ANTLER_DUMP=DIR writes them to files.
using DumpSink = std::function<void(const std::string& function, const std::string& stage,
                                    const std::string& text)>;
const DumpSink& dump_sink();
void set_dump_sink(DumpSink sink);

}  // namespace antler::config
