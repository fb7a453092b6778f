#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "comparison/run_curves.h"
#include "search/objective.h"

namespace antler::cli {

/// Training runs side by side.
struct Comparison {
  /// A value of one run.
  struct Cell {
    std::optional<double> best;  ///< not given: unknown direction, or no finite value
    double best_epoch = 0;       ///< from 1
    double last = 0;
  };
  /// A value in the logs, "val_loss".
  struct Value {
    std::string name = {};
    std::optional<Objective> objective = {};      ///< empty: the direction is unknown
    std::vector<std::optional<Cell>> cells = {};  ///< of each run; empty if it lacks the value
    std::optional<double> best = {};              ///< of all runs

    /// Whether this run has the best value.
    bool wins(size_t run) const { return best && cells[run] && cells[run]->best == best; }
  };
  std::vector<RunCurves> runs;
  std::vector<Value> values;
  /// Names of options that differ between runs.
  std::vector<std::string> options;

  Json to_json() const;
};

/// Compares runs. Their names are shortened to file names if these differ.
Comparison compare_runs(std::vector<RunCurves> runs);

/// The rows of a table about the runs: name, epochs, time per epoch, options that differ.
std::vector<std::vector<std::string>> run_rows(const Comparison& comparison);
/// "1.2 s"; "-" if unknown.
std::string duration_text(const std::optional<double>& seconds);

}  // namespace antler::cli
