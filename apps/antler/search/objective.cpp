#include "search/objective.h"

#include "antler/base/error.h"
#include "antler/nn/metric.h"
#include "training/callbacks/monitor_direction.h"

namespace antler::cli {
namespace {

/// The direction of the library's metric of this name, which may follow the name of a model's
/// output and "_". "" if there is no such metric.
std::string direction_of_metric(const std::string& name) {
  for (size_t at = 0; at != std::string::npos;) {
    const std::string part = name.substr(at);
    if (!metrics::is_resolved_by_shape(part)) {
      try {
        return metrics::get(part)->direction();
      } catch (const ValueError&) {  // NOLINT(bugprone-empty-catch): try what follows the next "_"
      }
    }
    at = name.find('_', at);
    if (at != std::string::npos) ++at;
  }
  return "";
}

}  // namespace

std::optional<size_t> Objective::best(const std::vector<double>& values) const {
  std::optional<size_t> best;
  for (size_t i = 0; i < values.size(); ++i) {
    // Keras compares in float32.
    if (!best || better(static_cast<float>(values[i]), static_cast<float>(values[*best]))) best = i;
  }
  return best;
}

std::optional<Objective> known_objective(const std::string& name) {
  const std::string direction = training::monitor_direction(name, direction_of_metric);
  if (direction.empty()) return {};
  return Objective{name, direction == "up"};
}

Objective parse_objective(const std::string& text) {
  for (const char* mode : {"min", "max"}) {
    const std::string end = std::string(":") + mode;
    if (text.ends_with(end)) {
      return {text.substr(0, text.size() - end.size()), std::string(mode) == "max"};
    }
  }
  if (const auto known = known_objective(text)) return *known;
  throw ValueError(
      "--objective {}: it is not known whether it should go up or down. Say so with {}:min or "
      "{}:max.",
      text, text, text);
}

}  // namespace antler::cli
