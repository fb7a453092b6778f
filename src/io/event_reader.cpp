#include "antler/io/event_reader.h"

#include <algorithm>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/io/tfrecord.h"
#include "io/tf_tensor.h"
#include "io/wire_reader.h"

namespace antler::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEvent = "The event";
/// Larger than any graph.
constexpr uint64_t kMaxEventBytes = uint64_t{1} << 31;

/// The name of the plugin in a SummaryMetadata.
std::string plugin_of(WireReader metadata) {
  std::string name;
  while (metadata.next()) {
    if (metadata.field() != 1) continue;
    for (WireReader plugin = metadata.message(); plugin.next();) {
      if (plugin.field() == 1) name = plugin.string();
    }
  }
  return name;
}

SummaryValue parse_value(WireReader reader) {
  SummaryValue value;
  std::string plugin;
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        value.tag = reader.string();
        break;
      case 2:
        value.number = reader.float32();
        break;
      case 5:
        value.is_histogram = true;
        break;
      case 8:
        value.tensor = parse_tensor(reader.message(), kEvent);
        if (!value.tensor) value.strings = parse_string_tensor(reader.message(), kEvent);
        break;
      case 9:
        plugin = plugin_of(reader.message());
        break;
      default:
        break;
    }
  }
  if (plugin == "scalars" && value.tensor && value.tensor->size() == 1) {
    value.number = value.tensor->to_doubles()[0];
    value.tensor.reset();
  }
  if (plugin == "histograms") value.is_histogram = true;
  return value;
}

SessionLog parse_session_log(WireReader reader) {
  SessionLog log;
  while (reader.next()) {
    if (reader.field() == 1 && reader.integer() >= 0 && reader.integer() <= 3) {
      log.status = static_cast<SessionLog::Status>(reader.integer());
    }
    if (reader.field() == 2) log.checkpoint_path = reader.string();
  }
  return log;
}

}  // namespace

Event parse_event(std::string_view message) {
  Event event;
  for (WireReader reader(message, kEvent); reader.next();) {
    switch (reader.field()) {
      case 1:
        event.wall_time = reader.float64();
        break;
      case 2:
        event.step = reader.integer();
        break;
      case 4:
        event.has_graph = true;
        break;
      case 5:
        for (WireReader summary = reader.message(); summary.next();) {
          if (summary.field() == 1) event.values.push_back(parse_value(summary.message()));
        }
        break;
      case 7:
        event.session_log = parse_session_log(reader.message());
        break;
      case 9:
        event.has_meta_graph = true;
        break;
      default:
        break;
    }
  }
  return event;
}

std::vector<Event> read_event_file(const std::string& path) {
  std::vector<Event> events;
  try {
    TFRecordReader reader(path, kMaxEventBytes);
    while (const auto record = reader.next()) events.push_back(parse_event(*record));
  } catch (const IOError& error) {
    logging::warning(format("The rest of an event file is left out. {}", error.what()));
  }
  return events;
}

std::vector<std::string> event_files(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const bool named = entry.path().filename().string().find(".tfevents.") != std::string::npos;
    if (named && entry.is_regular_file(error)) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::map<std::string, ScalarCurve> read_scalars(const std::string& directory) {
  std::map<std::string, ScalarCurve> curves;
  for (const std::string& path : event_files(directory)) {
    for (const Event& event : read_event_file(path)) {
      for (const SummaryValue& value : event.values) {
        if (!value.number) continue;
        ScalarCurve& curve = curves[value.tag];
        curve.steps.push_back(event.step);
        curve.values.push_back(*value.number);
      }
    }
  }
  return curves;
}

}  // namespace antler::io
