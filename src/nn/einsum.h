#pragma once

#include <string>

#include "antler/core/tensor.h"

namespace antler {

/// Sum of products over the letters that the output does not have: "abc,cd->abd". "..." stands for
/// dimensions that the equation does not name. Throws ValueError for equations that are not of this
/// form, that name a dimension of one operand twice, or that do not fit the ranks.
Tensor einsum(const std::string& equation, const Tensor& x, const Tensor& y);

}  // namespace antler
