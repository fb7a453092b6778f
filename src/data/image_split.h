#pragma once

#include "antler/data/datasets.h"

namespace antler::data {

/// Images and labels as inputs and targets of a model: x = images / `white` as float32 [n, height,
/// width, 1], y as int32 [n]. `images` must be uint8 [n, height, width] and `labels` uint8 [n] with
/// values from 0 to 9. Throws IOError otherwise; `what` is the name of the data set in messages.
Split image_split(const Tensor& images, const Tensor& labels, float white, const std::string& what);

}  // namespace antler::data
