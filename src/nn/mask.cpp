// Annotations of tensors: masks, and the logits of probabilities.
#include "antler/nn/mask.h"

#include <memory>
#include <utility>

#include "nn/cached_logits.h"

namespace antler {
namespace {

/// The object that TensorImpl::annotation points to.
struct Annotation {
  Tensor mask;
  Tensor logits;
};

Annotation annotation_of(const Tensor& tensor) {
  if (!tensor.defined() || tensor.impl()->annotation == nullptr) return {};
  return *static_cast<const Annotation*>(tensor.impl()->annotation.get());
}

/// A new TensorImpl for the same value. Handles with another annotation may share the old one. The
/// new one keeps the id, by which tapes recognize the tensor.
Tensor annotated(const Tensor& tensor, Annotation annotation) {
  auto impl = std::make_shared<TensorImpl>(*tensor.impl());
  const bool any = annotation.mask.defined() || annotation.logits.defined();
  impl->annotation = any ? std::make_shared<Annotation>(std::move(annotation)) : nullptr;
  return Tensor(std::move(impl));
}

}  // namespace

Tensor keras_mask(const Tensor& tensor) { return annotation_of(tensor).mask; }

Tensor with_keras_mask(const Tensor& tensor, const Tensor& mask) {
  Annotation annotation = annotation_of(tensor);
  if (!mask.defined() && !annotation.mask.defined()) return tensor;
  annotation.mask = mask;
  return annotated(tensor, std::move(annotation));
}

Tensor with_cached_logits(const Tensor& output, const Tensor& logits) {
  Annotation annotation = annotation_of(output);
  annotation.logits = logits;
  return annotated(output, std::move(annotation));
}

Tensor cached_logits(const Tensor& tensor) { return annotation_of(tensor).logits; }

}  // namespace antler
