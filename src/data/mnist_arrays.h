#pragma once

#include <optional>

#include "antler/data/datasets.h"

namespace antler::data {

/// The arrays in the IDX files of MNIST, as uint8, if mnist() finds the files without a download.
/// Throws IOError for corrupt files.
std::optional<TrainTest> mnist_arrays();

}  // namespace antler::data
