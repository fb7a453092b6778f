#include "antler/base/logging.h"

#include <cstdio>
#include <mutex>
#include <utility>

namespace antler::logging {
namespace {

std::mutex g_mutex;
Sink g_sink;
Sink g_warning_sink;
thread_local bool t_interactive = true;

void write(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
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

void set_sink(Sink sink) {
  const std::lock_guard lock(g_mutex);
  g_sink = std::move(sink);
}

void warning(const std::string& text) {
  const std::string line = "WARNING:antler:" + text + "\n";
  const std::lock_guard lock(g_mutex);
  if (g_warning_sink) {
    g_warning_sink(line);
  } else {
    write(stderr, line);
  }
}

void set_warning_sink(Sink sink) {
  const std::lock_guard lock(g_mutex);
  g_warning_sink = std::move(sink);
}

void enable_interactive_logging() { t_interactive = true; }
void disable_interactive_logging() { t_interactive = false; }
bool is_interactive_logging_enabled() { return t_interactive; }

}  // namespace antler::logging
