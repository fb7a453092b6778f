#pragma once

#include "antler/data/datasets.h"

namespace antler::data {

/// Images and labels as a model takes them: x = images / `white` as float32 [n, height, width, 1],
/// y as int32 [n]. `images` is uint8 [n, height, width], `labels` uint8 [n]. Throws IOError for
/// other arrays and for labels above 9; `what` names them in messages.
Split image_split(const Tensor& images, const Tensor& labels, float white, const std::string& what);

}  // namespace antler::data
