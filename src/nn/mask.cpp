#include "antler/nn/mask.h"

#include <memory>

namespace antler {
namespace {

/// What TensorImpl::annotation points to.
struct Annotation {
  Tensor mask;
};

}  // namespace

Tensor keras_mask(const Tensor& tensor) {
  if (!tensor.defined() || tensor.impl()->annotation == nullptr) return {};
  return static_cast<const Annotation*>(tensor.impl()->annotation.get())->mask;
}

Tensor with_keras_mask(const Tensor& tensor, const Tensor& mask) {
  if (!mask.defined() && tensor.impl()->annotation == nullptr) return tensor;
  // The impl may be shared with handles that have another mask; a second impl names the same value.
  // It keeps its id, by which tapes know it.
  auto impl = std::make_shared<TensorImpl>(*tensor.impl());
  impl->annotation = mask.defined() ? std::make_shared<Annotation>(Annotation{mask}) : nullptr;
  return Tensor(std::move(impl));
}

}  // namespace antler
