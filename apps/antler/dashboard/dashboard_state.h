#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "curves/loss_curve.h"

namespace antler::cli {

/// What the dashboard shows. The training writes it; any number of readers read it, each at its own
/// pace. Nothing waits for a reader: a slow one misses states that have been replaced. Thread-safe.
/// Writers and readers build their JSON outside of the lock, except end().
///
/// As JSON: {"run": an identifier, "facts": {...}, "now": {"state", "message", ...}, "curve":
/// [[epochs, loss], ...], "history": [...], "evaluation": {...}}.
class DashboardState {
 public:
  DashboardState();
  DashboardState(const DashboardState&) = delete;
  DashboardState& operator=(const DashboardState&) = delete;

  /// What does not change during the training.
  void set_facts(Json facts);
  /// Replaces "now" and "curve".
  void set_progress(Json now, std::vector<LossCurve::Point> curve);
  void add_epoch(Json epoch);
  void set_evaluation(Json evaluation);
  /// Sets the final "state" and a message, and removes "seconds_left". Keeps the other entries of
  /// "now".
  void end(const std::string& state, const std::string& message);
  /// Makes news() and pause() return at once from now on.
  void close();
  bool closed() const;

  /// What a reader has received so far.
  struct Seen {
    int64_t version = 0;
    int64_t facts = 0;
    int64_t evaluation = 0;
    size_t epochs = 0;
  };
  /// What a reader has not received yet. A new reader gets everything. Later, facts and evaluation
  /// are left out if they have not changed, and the history has only the new epochs, from
  /// "history_from" on. Waits for news for at most `seconds`; null if there are none.
  Json news(Seen& seen, double seconds);
  /// Waits for close(), at most `seconds`.
  void pause(double seconds);

 private:
  using Part = std::shared_ptr<const Json>;
  template <class Change>
  void change(Change change);

  const std::string run_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  Seen current_;
  Part facts_;
  Part now_;
  Part evaluation_;
  std::vector<Part> history_;
  std::vector<LossCurve::Point> curve_;
};

}  // namespace antler::cli
