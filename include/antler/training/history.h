#pragma once

#include <cstdint>
#include <vector>

#include "antler/training/logs.h"

namespace antler {

/// The result of fit() (Keras's History): a value per reported epoch and name.
struct History {
  /// Values by name, in the order of the logs; `val_` names have values only for epochs with
  /// validation.
  OrderedMap<std::vector<double>> history;
  /// The full values of metrics that are arrays; `history` has the means of their elements.
  OrderedMap<std::vector<Tensor>> arrays;
  /// Zero-based numbers of the reported epochs.
  std::vector<int64_t> epoch;
  /// Arguments of the fit() call.
  struct Params {
    int verbose = 0;
    int64_t epochs = 1;
    int64_t steps = -1;  ///< -1: unknown (Python's None)
  } params;
};

}  // namespace antler
