#pragma once

#include <cstdint>
#include <string>

#include "antler/core/dtype.h"
#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// Texts where tensors are asked for: in data sets, models and compiled programs a text is a
/// handle, a number of 64 bits that names it in a table of the process. Equal texts have equal
/// handles. The table keeps every text until the process ends.
namespace antler {

/// The dtype of handles; what `Input({1}, {.dtype = "string"})` is made of.
inline constexpr DType kTextDType = DType::uint64;

/// Handles of texts, of the same shape:
///
///     model.fit(text_tensor({{"a good film", "a bad one"}}), labels);
Tensor text_tensor(const StringTensor& texts);
/// The texts of handles. Throws TypeError for a tensor of numbers.
StringTensor texts_of(const Tensor& handles);

/// True for a handle of this process.
bool is_text(uint64_t number);
uint64_t text_handle(const std::string& text);
/// Throws TypeError for a number that is no handle. The text stays where it is.
const std::string& text_of(uint64_t handle);

}  // namespace antler
