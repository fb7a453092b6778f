#pragma once

#include <functional>
#include <string>
#include <string_view>

/// Where Antler's messages go. `print` is for output that the user asked for, such as progress bars
/// and summaries. Warnings go to stderr.
namespace antler::logging {

/// Receives text exactly as it is shown, line ends included. Sinks are called one at a time, under
/// a lock: a sink must not log itself.
using Sink = std::function<void(std::string_view text)>;

/// Writes to the sink of this process (stdout, flushed, unless replaced).
void print(std::string_view text);
/// Replaces the sink and returns the previous one; empty: stdout.
Sink set_sink(Sink sink);

/// "WARNING:antler:<text>" on stderr, or to the warning sink.
void warning(const std::string& text);
void set_warning_sink(Sink sink);
/// "INFO:antler:<message>" on stderr, or to the info sink. For the log of a long run.
void info(const std::string& message);
void set_info_sink(Sink sink);

/// Keras's interactive logging, per thread: on (default), progress goes to print(); off, whole
/// lines at INFO level go to stderr and `verbose="auto"` becomes 2.
void enable_interactive_logging();
void disable_interactive_logging();
bool is_interactive_logging_enabled();

}  // namespace antler::logging
