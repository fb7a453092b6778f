#pragma once

#include "antler/base/json.h"
#include "antler/core/tensor.h"

namespace antler::ops {

/// Whether `x` is a placeholder of unknown size. Functions that compute with its sizes cannot run
/// on it; record_call() makes them one node of the layer graph instead.
bool has_unknown_size(const Tensor& x);

/// Records the call of an operation of keras.ops on a placeholder. `class_name` and `config` are
/// those that Keras writes to files ("Repeat", {"repeats": 2, "axis": 1}).
Tensors record_call(const char* class_name, const Tensor& x, const Json& config);

/// Implements record_call(); installed by the layer library.
using CallRecorder = Tensors (*)(const char* class_name, const Tensor& x, const Json& config);
void set_call_recorder(CallRecorder recorder);

}  // namespace antler::ops
