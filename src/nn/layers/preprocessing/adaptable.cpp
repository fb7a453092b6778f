#include "antler/nn/layers/adaptable.h"

#include "antler/base/error.h"

namespace antler {

void Adaptable::adapt(const Tensor&) {
  throw TypeError("adapt: this layer learns from strings. Received: a tensor of numbers.");
}

void Adaptable::adapt(const StringTensor&) {
  throw TypeError("adapt: this layer learns from numbers. Received: strings.");
}

}  // namespace antler
