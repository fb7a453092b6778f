#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Process-wide switches. Programs read them when they are compiled.
namespace antler::config {

/// Threads that a program may use; starts at what OMP_NUM_THREADS or the machine says.
int threads();
/// Throws ValueError unless count >= 1.
void set_threads(int count);

/// Whether results must be equal, bit for bit, for any number of threads.
bool deterministic();
void deterministic(bool on);

/// True: functions run op by op, untraced (Keras's run_functions_eagerly).
bool run_functions_eagerly();
void run_functions_eagerly(bool on);

/// The most epochs of a fit(), and the most steps of an epoch of fit(), evaluate() and predict();
/// nothing: as many as are asked for. For a look whether a program runs to its end. They start at
/// what KERAS_MAX_EPOCHS and KERAS_MAX_STEPS_PER_EPOCH say. Throws ValueError for a number below 1.
std::optional<int64_t> max_epochs();
void set_max_epochs(std::optional<int64_t> epochs);
std::optional<int64_t> max_steps_per_epoch();
void set_max_steps_per_epoch(std::optional<int64_t> steps);

/// Compiler passes to leave out, by name.
const std::vector<std::string>& disabled_passes();
void set_disabled_passes(std::vector<std::string> names);

/// Receives the text of a program after each stage of its compilation; empty = no dumps. The
/// environment variable ANTLER_DUMP=DIR writes them to files instead.
using DumpSink = std::function<void(const std::string& function, const std::string& stage,
                                    const std::string& text)>;
const DumpSink& dump_sink();
void set_dump_sink(DumpSink sink);

}  // namespace antler::config
