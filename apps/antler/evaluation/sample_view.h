#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"
#include "input/data_plan.h"

namespace antler::cli {

/// A row of float32 images [n, height, width] or [n, height, width, 1, 3 or 4] as a PNG in base 64.
/// Values are 0 to 1 or 0 to 255. Empty if x has no images.
std::string sample_picture(const Tensor& x, int64_t row);

/// A row of a model's input [n, values] as text: columns of a table with their names and
/// categories, the words of a text, else the first numbers. Empty for other shapes.
std::string sample_text(const Tensor& x, int64_t row, const DataPlan& plan);

}  // namespace antler::cli
