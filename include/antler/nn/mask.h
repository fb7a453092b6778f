#pragma once

#include "antler/core/tensor.h"

namespace antler {

/// The mask that travels with a tensor ([batch, time], true = keep); undefined if there is none.
Tensor keras_mask(const Tensor& tensor);
/// The same tensor with this mask; an undefined mask removes it.
Tensor with_keras_mask(const Tensor& tensor, const Tensor& mask);

}  // namespace antler
