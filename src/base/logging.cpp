#include "antler/base/logging.h"

#include <cstdio>
#include <mutex>
#include <utility>

namespace antler::logging {
namespace {

std::mutex g_mutex;
Sink g_sink;
Sink g_warning_sink;
Sink g_info_sink;
thread_local bool t_interactive = true;

void write(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

/// Writes a line to the sink, or to stderr if it is empty.
void log_line(const std::string& line, const Sink& sink) {
  const std::lock_guard lock(g_mutex);
  if (sink) {
    sink(line);
  } else {
    write(stderr, line);
  }
}

}  // namespace

void print(std::string_view text) {
  const std::lock_guard lock(g_mutex);
  if (g_sink) {
    g_sink(text);
  } else {
    write(stdout, text);
  }
}

Sink set_sink(Sink sink) {
  const std::lock_guard lock(g_mutex);
  return std::exchange(g_sink, std::move(sink));
}

void warning(const std::string& text) { log_line("WARNING:antler:" + text + "\n", g_warning_sink); }

void set_warning_sink(Sink sink) {
  const std::lock_guard lock(g_mutex);
  g_warning_sink = std::move(sink);
}

void info(const std::string& message) { log_line("INFO:antler:" + message + "\n", g_info_sink); }

void set_info_sink(Sink sink) {
  const std::lock_guard lock(g_mutex);
  g_info_sink = std::move(sink);
}

void enable_interactive_logging() { t_interactive = true; }
void disable_interactive_logging() { t_interactive = false; }
bool is_interactive_logging_enabled() { return t_interactive; }

}  // namespace antler::logging
