#pragma once

#include <cstdint>
#include <string>

#include "antler/core/dtype.h"
#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// Strings as tensors: in data sets, models and compiled programs a string is a handle, a 64-bit
/// number that refers to a table of the process. Equal strings have equal handles. The table keeps
/// every string until the process ends.
namespace antler {

/// The dtype of handles, and of an input with the dtype "string".
inline constexpr DType kStringDType = DType::uint64;

/// Handles of strings, in the same shape:
///
///     model.fit(string_handles({{"a good film", "a bad one"}}), labels);
Tensor string_handles(const StringTensor& strings);
/// The strings of handles. Throws TypeError for a tensor of numbers.
StringTensor strings_of(const Tensor& handles);

/// Whether the tensor is a value that holds strings.
bool holds_strings(const Tensor& tensor);

uint64_t string_handle(const std::string& string);  ///< the handle of a string
/// The string of a handle; it never moves. Throws TypeError for any other number.
const std::string& string_of(uint64_t handle);

}  // namespace antler
