#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace antler {

/// Options of Progbar.
struct ProgbarOptions {
  int width = 30;          ///< characters of the bar
  int verbose = 1;         ///< 1: a bar that is redrawn; 2: one line at the end
  double interval = 0.05;  ///< minimum seconds between redraws
  /// Metrics shown as given; others are averaged over the steps between updates.
  std::vector<std::string> stateful_metrics = {};
  std::string unit_name = "step";  ///< what is counted
  /// Redraw in place; false: print each update on a new line.
  bool dynamic_display = true;
  /// Monotonic time in seconds; default: the steady clock. Tests replace it.
  std::function<double()> clock = {};
};

/// Keras 2's progress bar, byte for byte.
class Progbar {
 public:
  /// `target`: number of steps; -1: unknown.
  explicit Progbar(int64_t target, const ProgbarOptions& options = {});
  using Values = std::vector<std::pair<std::string, double>>;
  /// Shows that `current` steps are done. `finalize` says whether this is the last update; -1 means
  /// that it is if current >= target.

  void update(int64_t current, const Values& values, int finalize = -1);
  void add(int64_t n, const Values& values);
  void set_target(int64_t target) { target_ = target; }
  void set_stateful_metrics(std::vector<std::string> names) {
    options_.stateful_metrics = std::move(names);
  }
  int64_t target() const { return target_; }

 private:
  struct Sum {
    double total = 0;
    double count = 0;
    bool stateful = false;
  };
  void accumulate(int64_t current, const Values& values);
  std::string bar(int64_t current) const;
  std::string metrics(bool absolute) const;
  double time_per_unit(int64_t current, double now);

  int64_t target_;
  ProgbarOptions options_;
  int64_t seen_ = 0;
  double start_;
  double last_update_ = 0;
  double after_first_ = -1;
  size_t previous_width_ = 0;
  std::vector<std::pair<std::string, Sum>> values_;
};

}  // namespace antler
