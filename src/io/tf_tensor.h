#pragma once

#include <optional>

#include "antler/core/tensor.h"
#include "io/wire_reader.h"

namespace antler::io {

/// TensorShapeProto, where sizes may be open (Shape::kUnknown); an open rank gives no dimensions.
Shape parse_open_shape(WireReader reader, const char* what);
/// TensorProto. None for texts and for dtypes that tensors do not have. Throws IOError, which names
/// `what`, for more elements than bytes can stand for.
std::optional<Tensor> parse_tensor(WireReader reader, const char* what);

}  // namespace antler::io
