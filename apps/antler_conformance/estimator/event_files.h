#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"

namespace antler::conformance::estimators {

struct Events {
  std::vector<Json> events;      ///< [step, tag, value]
  std::set<std::string> graphs;  ///< "graph_def", "meta_graph_def"
};

bool is_event_file(const std::string& name);
/// Adds the contents of an event file.
void read_events(const std::string& path, Events& events);

}  // namespace antler::conformance::estimators
