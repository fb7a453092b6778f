#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace antler::cli {

/// A value in the training logs, and whether lower or higher is better.
struct Objective {
  std::string name = {};  ///< "val_loss"
  bool maximize = false;

  bool better(double a, double b) const { return maximize ? a > b : a < b; }
  const char* mode() const { return maximize ? "max" : "min"; }
  /// The index of the first best value, with Keras's rule for monitored values; nullopt if there
  /// are none.
  std::optional<size_t> best(const std::vector<double>& values) const;
};

/// The objective of a name whose direction follows from Keras's rule: losses go down, metrics of
/// the library know their direction, names that end in "acc", "accuracy" or "auc" go up. Nullopt
/// for other names.
std::optional<Objective> known_objective(const std::string& name);

/// Parses "NAME", "NAME:min" or "NAME:max". Throws ValueError if the direction is not known.
Objective parse_objective(const std::string& text);

}  // namespace antler::cli
