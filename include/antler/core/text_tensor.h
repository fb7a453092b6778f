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

/// The dtype of handles; what `Input({1}, {.dtype = "string"})` is made of.
inline constexpr DType kTextDType = DType::uint64;

/// Handles of strings, in the same shape:
///
///     model.fit(text_tensor({{"a good film", "a bad one"}}), labels);
Tensor text_tensor(const StringTensor& strings);
/// The strings of handles. Throws TypeError for a tensor of numbers.
StringTensor strings_of(const Tensor& handles);

/// True for a handle of this process.
bool is_text(uint64_t number);
uint64_t text_handle(const std::string& string);
/// The string of a handle; it never moves. Throws TypeError for any other number.
const std::string& text_of(uint64_t handle);

}  // namespace antler
