#include "check_events.h"

#include <algorithm>
#include <cmath>

namespace antler::conformance {
namespace {

std::string name_of(const Json& event) { return event[0].get<std::string>(); }

/// Whether the logs are Keras 2's sums over the workers, all of which report the same joint result.
/// Compares the running loss after an epoch's last batch with the epoch's loss: they should be
/// equal.
bool adds_up_workers(const Json& events, int64_t workers) {
  const Json* batch = nullptr;
  for (const Json& event : events) {
    if (name_of(event) == "on_train_batch_end") batch = &event;
    if (name_of(event) != "on_epoch_end" || batch == nullptr) continue;
    const double last = number((*batch)[3].at("loss"));
    const double epoch = number(event[3].at("loss"));
    return std::abs(last - static_cast<double>(workers) * epoch) < std::abs(last - epoch);
  }
  return false;
}

/// The events as one worker sees them.
Json expected_events(Json events, const FitSettings& settings) {
  if (settings.epoch_hooks_only) {
    const auto is_batch = [](const Json& event) {
      return name_of(event).find("_batch_") != std::string::npos;
    };
    events.erase(std::remove_if(events.begin(), events.end(), is_batch), events.end());
  }
  if (settings.workers == 1 || !adds_up_workers(events, settings.workers)) return events;
  for (Json& event : events) {
    if (!name_of(event).ends_with("_batch_end")) continue;
    for (auto& [key, value] : event[3].items())
      if (is_number(value)) value = number(value) / static_cast<double>(settings.workers);
  }
  return events;
}

}  // namespace

void check_events(const std::string& where, const Json& got, const Json& expected,
                  const BatchCounts& counts, const FitSettings& settings, Check& check) {
  if (!expected.contains("events")) return;
  const Json want = expected_events(expected["events"], settings);
  for (size_t i = 0; i < want.size() && i < got.size(); ++i) {
    const std::string name = name_of(want[i]);
    const std::string event = format("{} event {} ({})", where, i, name);
    Json index = want[i][1];
    // Keras 3 reports the number of a full execution's last batch, even if the epoch ended earlier.
    if (name.ends_with("_batch_end")) {
      const bool train = name == "on_train_batch_end";
      index = std::min(index.get<int64_t>(), (train ? counts.train : counts.other) - 1);
    }
    check.equal(event, Json::array({got[i][0], got[i][1], got[i][2]}),
                Json::array({want[i][0], index, want[i][2]}));
    if (got[i][0] != want[i][0]) return;
    check.json(event, got[i][3], want[i][3]);
  }
  check.equal(where + " number of events", got.size(), want.size());
}

}  // namespace antler::conformance
