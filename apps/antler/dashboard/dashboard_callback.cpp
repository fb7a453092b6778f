#include "dashboard/dashboard_callback.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/training/model.h"
#include "base/clock.h"

namespace antler::cli {
namespace {

constexpr double kInterval = 0.02;  ///< minimum seconds between updates
/// Seconds over which the speed is averaged.
constexpr double kMemory = 3;
/// The callback predicts after the first and the last epoch, and after others while all predictions
/// together have taken at most this share of the training time. One round of predictions may take
/// this share of an epoch, or kProbeSeconds if that is longer.
constexpr double kProbeShare = 0.05;
constexpr double kProbeSeconds = 0.5;

Json numbers_of(const Logs& logs) {
  Json numbers = Json::object();
  for (const auto& [name, value] : logs) numbers[name] = value;
  return numbers;
}

}  // namespace

DashboardCallback::DashboardCallback(std::shared_ptr<DashboardState> state, int64_t batch_size,
                                     int64_t rows, std::optional<ValidationProbe> probe)
    : state_(std::move(state)), batch_size_(batch_size), rows_(rows), probe_(std::move(probe)) {}

void DashboardCallback::on_train_begin(const Logs&) { start_ = steady_seconds(); }

void DashboardCallback::on_epoch_begin(int epoch, const Logs&) {
  epoch_ = epoch;
  steps_ = 0;
  epoch_start_ = steady_seconds();
  if (steps_end_ > 0) seconds_between_ = epoch_start_ - steps_end_;
  last_.reset();
  publish("training");
}

void DashboardCallback::on_train_batch_end(int batch, const Logs& logs) {
  steps_ = batch + 1;
  const double time = steady_seconds();
  if (last_ && time - last_->time < kInterval && steps_ != params.steps) return;
  logs_ = numbers_of(logs);
  // The last batch may be smaller.
  const auto samples = static_cast<double>(std::min(steps_ * batch_size_, rows_));
  measure({time, steps_, samples, logs.find("loss").value_or(NAN)});
  publish("training");
}

void DashboardCallback::measure(const Mark& now) {
  steps_end_ = now.time;
  // The first step compiles the program.
  const Mark before = last_.value_or(Mark{0, 0, 0, 0});
  const auto steps = static_cast<double>(now.steps - before.steps);
  const double samples = now.samples - before.samples;
  if (last_ && steps > 0) {
    const double seconds = now.time - before.time;
    const double weight = steps_per_second_ == 0 ? 1 : 1 - std::exp(-seconds / kMemory);
    steps_per_second_ += weight * (steps / seconds - steps_per_second_);
  }
  if (params.steps > 0 && samples > 0 && std::isfinite(now.mean_loss)) {
    // The logs hold the mean since the start of the epoch.
    const double sum = now.mean_loss * now.samples - before.mean_loss * before.samples;
    const double epochs = static_cast<double>(epoch_) +
                          static_cast<double>(now.steps) / static_cast<double>(params.steps);
    curve_.add({epochs, sum / samples, steps});
  }
  last_ = now;
}

double DashboardCallback::seconds_left() const {
  const auto epochs = static_cast<double>(params.epochs - epoch_ - 1);
  const double steps =
      static_cast<double>(params.steps - steps_) + epochs * static_cast<double>(params.steps);
  return steps / steps_per_second_ + (epochs + 1) * seconds_between_;
}

void DashboardCallback::publish(const char* state) {
  if (model->has_optimizer()) learning_rate_ = model->optimizer().learning_rate().item();
  Json now = {{"state", state},
              {"epoch", epoch_ + 1},
              {"epochs", params.epochs},
              {"step", steps_},
              {"seconds", steady_seconds() - start_},
              {"learning_rate", learning_rate_},
              {"logs", logs_}};
  if (params.steps > 0) now["steps"] = params.steps;
  if (steps_per_second_ > 0) {
    now["seconds_per_step"] = 1 / steps_per_second_;
    now["samples_per_second"] = static_cast<double>(batch_size_) * steps_per_second_;
    if (params.steps > 0) now["seconds_left"] = seconds_left();
  }
  state_->set_progress(std::move(now), curve_.points());
}

void DashboardCallback::on_test_begin(const Logs&) { publish("validating"); }

void DashboardCallback::on_epoch_end(int epoch, const Logs& logs) {
  logs_ = numbers_of(logs);
  const double seconds = steady_seconds() - epoch_start_;
  state_->add_epoch({{"epoch", epoch + 1},
                     {"seconds", seconds},
                     {"learning_rate", learning_rate_},
                     {"logs", logs_}});
  publish("validating");
  const bool is_last = epoch + 1 == params.epochs || model->stop_training();
  const bool is_due = probe_seconds_ <= kProbeShare * (steady_seconds() - start_);
  if (probe_ && logs.contains("val_loss") && (is_last || is_due)) look(seconds);
}

void DashboardCallback::look(double epoch_seconds) {
  const double start = steady_seconds();
  try {
    Json seen = probe_->look(*model, std::max(kProbeSeconds, kProbeShare * epoch_seconds));
    if (seen.is_null()) {
      probe_.reset();
      return;
    }
    seen["epoch"] = epoch_ + 1;
    state_->set_evaluation(std::move(seen));
  } catch (const std::exception& error) {  // the training must go on
    probe_.reset();
    state_->set_evaluation({{"error", error.what()}});
  }
  probe_seconds_ += steady_seconds() - start;
}

}  // namespace antler::cli
