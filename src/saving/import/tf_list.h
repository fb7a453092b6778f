#pragma once

#include <string_view>

#include "saving/import/tf_interpreter.h"

namespace antler::saving {

/// Whether an op makes or uses a list of tensors, in which TensorFlow's loops keep what their steps
/// read and give.
bool is_tf_list_op(std::string_view op);
TfValues run_tf_list_op(const io::TfNode& node, const TfValues& inputs);

}  // namespace antler::saving
