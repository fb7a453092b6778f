#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"

namespace antler::cli {

/// A setting that `antler tune` varies, and the values that it may have.
struct Hyperparameter {
  enum class Kind : uint8_t { choice, real, log_real, integer, log_integer };

  std::string name;
  Kind kind = Kind::choice;
  std::vector<Json> choices;  ///< of a choice
  double low = 0;             ///< of a range; both ends belong to it
  double high = 0;
  std::optional<double> step;  ///< of a real or integer range: low, low + step, ...

  /// Maps `u` in [0, 1) to a value, so that a uniform `u` gives the distribution of this kind. Real
  /// values are rounded to four digits.
  Json at(double u) const;
  /// Values to check before a search: all choices, or the ends of the range.
  std::vector<Json> examples() const;
};

/// Parses an item of --space:
///  - NAME=VALUE: always this value;
///  - NAME=choice:A,B,C: one of these, or choice:A;B;C if values contain commas;
///  - NAME=float:LOW:HIGH[:STEP], NAME=int:LOW:HIGH[:STEP]: equally likely values;
///  - NAME=log:LOW:HIGH, NAME=logint:LOW:HIGH: values whose logarithms are equally likely.
/// Throws ValueError that quotes the item.
Hyperparameter parse_hyperparameter(const std::string& item);

/// A value on the command line: "0.001", "adam".
std::string argument_of(const Json& value);

/// Values for all hyperparameters, by name. They depend only on the seed, the number of the trial
/// and the attempt.
Json sample(const std::vector<Hyperparameter>& space, uint64_t seed, uint32_t trial,
            uint32_t attempt);

}  // namespace antler::cli
