#pragma once

#include "antler/core/tensor.h"

namespace antler {

/// The mask that travels with a tensor ([batch, time], true = keep); undefined where there is none.
Tensor keras_mask(const Tensor& tensor);
/// The same tensor with a mask; an undefined mask takes it away.
Tensor with_keras_mask(const Tensor& tensor, const Tensor& mask);

}  // namespace antler
