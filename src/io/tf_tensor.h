#pragma once

#include <optional>

#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"
#include "io/wire.h"
#include "io/wire_reader.h"

namespace antler::io {

/// Parses a TensorShapeProto. Sizes may be unknown (Shape::kUnknown); an unknown rank gives no
/// dimensions. `what` is the name of the message in errors.
Shape parse_shape(WireReader reader, const char* what);
/// The TensorShapeProto of a shape.
WireWriter shape_message(const Shape& shape);
/// Parses a TensorProto; nullopt for strings and dtypes that tensors do not have. Throws IOError,
/// also for a shape that is larger than the message's content allows.
std::optional<Tensor> parse_tensor(WireReader reader, const char* what);
/// Parses a TensorProto of strings; nullopt for other dtypes. Throws IOError if the number of
/// strings does not match the shape.
std::optional<StringTensor> parse_string_tensor(WireReader reader, const char* what);
/// The TensorProto of an array.
WireWriter tensor_message(const Tensor& array);
WireWriter tensor_message(const StringTensor& array);

}  // namespace antler::io
