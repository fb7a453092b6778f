#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// Reads the event files that TensorFlow and Antler write for TensorBoard (event.proto).
namespace antler::io {

/// A value of a Summary. Only the member for its kind is set; none for images and histograms.
struct SummaryValue {
  std::string tag;
  /// A scalar: a simple value, or a tensor that the plugin "scalars" shows.
  std::optional<double> number;
  std::optional<Tensor> tensor;
  std::optional<StringTensor> strings;
  bool is_histogram = false;
};

/// Records that a session started, stopped or wrote a checkpoint.
struct SessionLog {
  enum class Status : uint8_t { unspecified = 0, start = 1, stop = 2, checkpoint = 3 };
  Status status = Status::unspecified;
  std::string checkpoint_path;
};

/// An entry of an event file.
struct Event {
  double wall_time = 0;  ///< seconds since 1970
  int64_t step = 0;
  std::vector<SummaryValue> values;
  std::optional<SessionLog> session_log;
  bool has_graph = false;
  bool has_meta_graph = false;
};

/// Parses an Event message. Throws IOError for invalid bytes.
Event parse_event(std::string_view message);
/// The events of a file, in order. A damaged or incomplete record and everything after it are
/// ignored, with a warning, because the process may have died while writing. Throws NotFoundError.
std::vector<Event> read_event_file(const std::string& path);
/// Paths of the event files of a folder, sorted by name, which begins with the time. Empty if there
/// is no such folder.
std::vector<std::string> event_files(const std::string& directory);

/// A scalar over the steps.
struct ScalarCurve {
  std::vector<int64_t> steps;
  std::vector<double> values;
};
/// The scalars of all event files of a folder by tag, in the order in which they were written.
std::map<std::string, ScalarCurve> read_scalars(const std::string& directory);

}  // namespace antler::io
