#pragma once

#include <functional>
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
