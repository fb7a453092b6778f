#include "dashboard/dashboard_state.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace antler::cli {
namespace {

std::string identifier() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}-{}", ::getpid(),
                     std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

DashboardState::DashboardState()
    : run_(identifier()),
      facts_(std::make_shared<Json>(Json::object())),
      now_(std::make_shared<Json>(Json{{"state", "starting"}})),
      evaluation_(std::make_shared<Json>()) {
  current_ = {.version = 1, .facts = 1, .evaluation = 1, .epochs = 0};
}

template <class Change>
void DashboardState::change(Change change) {
  {
    const std::lock_guard lock(mutex_);
    change();
    ++current_.version;
  }
  changed_.notify_all();
}

void DashboardState::set_facts(Json facts) {
  auto part = std::make_shared<const Json>(std::move(facts));
  change([&] {
    facts_.swap(part);
    ++current_.facts;
  });
}

void DashboardState::set_progress(Json now, std::vector<LossCurve::Point> curve) {
  auto part = std::make_shared<const Json>(std::move(now));
  change([&] {
    now_.swap(part);
    curve_.swap(curve);
  });
}

void DashboardState::add_epoch(Json epoch) {
  auto part = std::make_shared<const Json>(std::move(epoch));
  change([&] {
    history_.push_back(std::move(part));
    current_.epochs = history_.size();
  });
}

void DashboardState::set_evaluation(Json evaluation) {
  auto part = std::make_shared<const Json>(std::move(evaluation));
  change([&] {
    evaluation_.swap(part);
    ++current_.evaluation;
  });
}

void DashboardState::end(const std::string& state, const std::string& message) {
  change([&] {
    Json now = *now_;
    now["state"] = state;
    now["message"] = message;
    now.erase("seconds_left");
    now_ = std::make_shared<const Json>(std::move(now));
  });
}

void DashboardState::close() {
  change([&] { closed_ = true; });
}

bool DashboardState::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

Json DashboardState::news(Seen& seen, double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                    [&] { return closed_ || seen.version != current_.version; });
  if (seen.version == current_.version) return {};
  const Seen before = std::exchange(seen, current_);
  const Part facts = before.facts == seen.facts ? nullptr : facts_;
  const Part evaluation = before.evaluation == seen.evaluation ? nullptr : evaluation_;
  const Part now = now_;
  const std::vector<Part> epochs(history_.begin() + static_cast<ptrdiff_t>(before.epochs),
                                 history_.end());
  const std::vector<LossCurve::Point> points = curve_;
  lock.unlock();

  Json news = {{"run", run_}, {"now", *now}, {"history_from", before.epochs}};
  if (facts) news["facts"] = *facts;
  if (evaluation) news["evaluation"] = *evaluation;
  Json& history = news["history"] = Json::array();
  for (const Part& epoch : epochs) history.push_back(*epoch);
  Json& curve = news["curve"] = Json::array();
  for (const LossCurve::Point& point : points) curve.push_back({point.epochs, point.loss});
  return news;
}

void DashboardState::pause(double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return closed_; });
}

}  // namespace antler::cli
