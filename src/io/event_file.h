#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "antler/io/tfrecord.h"
#include "io/wire.h"

namespace antler::io {

/// An Event message that has the current time.
WireWriter event_at_now();
/// `DIRECTORY/events.out.tfevents.SECONDS.HOST`, the beginning of the name of a new event file. The
/// seconds since 1970 have 10 digits.
std::string event_file_path(const std::string& directory);

struct EventFileOptions {
  int64_t max_queue = 10;      ///< events before a flush
  double flush_seconds = 120;  ///< maximum seconds between flushes
  bool append = false;         ///< appends to an existing file
};

/// Writes a TensorFlow event file, which consists of records of Event messages. Not thread-safe.
class EventFile {
 public:
  /// Creates the folder and the file, which begins with the version of the format. Throws IOError.
  EventFile(const std::string& path, const EventFileOptions& options);
  /// Throws IOError.
  void write(const WireWriter& event);
  /// Writes the bytes of a Summary message.
  void write_summary(std::string_view summary, int64_t step);
  void flush();

 private:
  TFRecordWriter file_;
  EventFileOptions options_;
  int64_t pending_ = 0;
  double last_flush_ = 0;
};

}  // namespace antler::io
