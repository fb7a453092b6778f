#pragma once

#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// What some layers can do besides being called on tensors. Found by dynamic_cast from a Layer.
namespace antler {

/// A layer whose state is computed from a sample of the data.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  /// Forgets what was learned before, then learns from `data` [samples, ...]. Throws TypeError
  /// where the layer takes texts, ValueError where its state was given.
  virtual void adapt(const Tensor& data);
  /// The same for texts. Throws TypeError where the layer takes numbers.
  virtual void adapt(const StringTensor& data);
};

/// A layer that reads texts.
class TakesStrings {
 public:
  virtual ~TakesStrings() = default;
  virtual Tensor call_strings(const StringTensor& input) = 0;
};

/// A layer that can give texts.
class GivesStrings {
 public:
  virtual ~GivesStrings() = default;
  /// Throws ValueError where the layer's options have it give numbers.
  virtual StringTensor call_to_strings(const Tensor& input) = 0;
};

}  // namespace antler
