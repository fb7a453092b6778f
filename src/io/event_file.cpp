#include "io/event_file.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "antler/base/error.h"
#include "base/clock.h"

namespace antler::io {
namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

/// Creates the folder of the path. Returns the path.
const std::string& in_new_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    throw IOError("Cannot create the folder '{}': {}.", folder.string(), error.message());
  }
  return path;
}

}  // namespace

WireWriter event_at_now() {
  WireWriter event;
  event.float64(
      1,
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
  return event;
}

std::string event_file_path(const std::string& directory) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  return format("{}/events.out.tfevents.{:010}.{}", directory, seconds, host_name());
}

EventFile::EventFile(const std::string& path, const EventFileOptions& options)
    : file_(in_new_folder(path), options.append), options_(options) {
  last_flush_ = steady_seconds();
  if (options.append) return;
  WireWriter first = event_at_now();
  first.bytes(3, "brain.Event:2");
  file_.write(first.str());
  file_.flush();
}

void EventFile::write(const WireWriter& event) {
  file_.write(event.str());
  ++pending_;
  if (pending_ >= options_.max_queue || steady_seconds() - last_flush_ >= options_.flush_seconds) {
    flush();
  }
}

void EventFile::write_summary(std::string_view summary, int64_t step) {
  WireWriter event = event_at_now();
  event.integer(2, step);
  event.bytes(5, summary);
  write(event);
}

void EventFile::flush() {
  file_.flush();
  pending_ = 0;
  last_flush_ = steady_seconds();
}

}  // namespace antler::io
