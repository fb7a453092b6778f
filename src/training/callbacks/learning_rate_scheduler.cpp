#include "antler/training/callbacks/learning_rate_scheduler.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {

void LearningRateScheduler::on_epoch_begin(int epoch, const Logs&) {
  Optimizer& optimizer = model->optimizer();
  const double rate = schedule_(epoch, optimizer.learning_rate().item());
  optimizer.set_learning_rate(rate);
  if (options_.verbose > 0) {
    logging::print(format("\nEpoch {}: LearningRateScheduler setting learning rate to {}.\n",
                          epoch + 1, training::python_repr(rate)));
  }
}

void LearningRateScheduler::on_epoch_end(int, const Logs&) {
  add_log("learning_rate", model->optimizer().learning_rate().item());
}

template <class V>
void fields(V& v, LearningRateSchedulerOptions& o) {
  v("verbose", o.verbose);
}

namespace {

LearningRateScheduler::Schedule schedule_from(const Json& json) {
  const std::string name = json.is_object() ? json.value("name", std::string()) : std::string();
  if (name == "table") {
    const auto values = json.at("values").get<std::vector<double>>();
    if (values.empty())
      throw ValueError("LearningRateScheduler: the table of rates must not be empty.");
    return [values](int64_t epoch, double) {
      return values[std::min(static_cast<size_t>(epoch), values.size() - 1)];
    };
  }
  if (name == "exponential") {
    return [start = json.at("start").get<int64_t>(), factor = json.at("factor").get<double>()](
               int64_t epoch, double rate) { return epoch < start ? rate : rate * factor; };
  }
  throw ValueError(R"(LearningRateScheduler: `schedule` must be {{"name": "table", "values"}} or )"
                   R"({{"name": "exponential", "start", "factor"}}. Received: {})",
                   json.dump());
}

}  // namespace

LearningRateScheduler LearningRateScheduler::from_config(const Json& config) {
  Json rest = config;
  auto schedule = schedule_from(take(rest, "schedule"));
  return LearningRateScheduler(
      std::move(schedule), read_options<LearningRateScheduler, LearningRateSchedulerOptions>(rest));
}

}  // namespace antler::callbacks
