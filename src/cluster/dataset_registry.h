#pragma once

#include <string>

#include "antler/base/error.h"
#include "antler/cluster/dataset_registry.h"

namespace antler::cluster {

/// The function of this name. Throws KeyError that lists the known names.
MakeDataset registered_dataset_fn(const std::string& name);

/// Calls the function for worker `index` of `count`. Throws ClosureInputError for whatever it
/// throws.
data::Dataset make_dataset(const MakeDataset& make, int64_t index, int64_t count);

/// The error of a function when its worker's data set is exhausted.
OutOfRangeError end_of_sequence();

}  // namespace antler::cluster
