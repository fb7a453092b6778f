#pragma once

#include <string_view>

#include "saving/import/tf_interpreter.h"

namespace antler::saving {

/// Whether an op creates or uses a list of tensors. TensorFlow's loops keep the inputs and outputs
/// of their steps in such lists.
bool is_tf_list_op(std::string_view op);
TfValues run_tf_list_op(const io::TfNode& node, const TfValues& inputs);

}  // namespace antler::saving
