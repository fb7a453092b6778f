#include "estimator/event_files.h"

#include <cmath>

#include "antler/io/event_reader.h"
#include "recorder.h"

namespace antler::conformance::estimators {
namespace {

Json event_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

/// A number, a text or a list; null for other kinds of values.
Json value_json(const io::SummaryValue& value) {
  if (value.number) return event_number(*value.number);
  if (value.tensor) return to_json(Nest(*value.tensor));
  if (!value.strings) return nullptr;
  const auto& texts = value.strings->values;
  return value.strings->rank() == 0 ? Json(texts.at(0)) : Json(texts);
}

Json session_log_json(int64_t step, const io::SessionLog& log) {
  const char* const kNames[] = {"STATUS_UNSPECIFIED", "START", "STOP", "CHECKPOINT"};
  return Json::array({step, std::string("session_log:") + kNames[static_cast<size_t>(log.status)],
                      log.checkpoint_path.empty() ? Json(nullptr) : Json(log.checkpoint_path)});
}

}  // namespace

bool is_event_file(const std::string& name) {
  return name.find("events.out.tfevents.") != std::string::npos;
}

void read_events(const std::string& path, Events& events) {
  for (const io::Event& event : io::read_event_file(path)) {
    if (event.has_graph) events.graphs.insert("graph_def");
    if (event.has_meta_graph) events.graphs.insert("meta_graph_def");
    if (event.session_log) {
      events.events.push_back(session_log_json(event.step, *event.session_log));
    }
    for (const io::SummaryValue& value : event.values) {
      events.events.push_back(Json::array({event.step, value.tag, value_json(value)}));
    }
  }
}

}  // namespace antler::conformance::estimators
