#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// A layer with a vocabulary, which Keras keeps in a file of its own (`vocabulary.txt` among the
/// assets of a `.keras` file) when it was learned.
class HasVocabulary {
 public:
  virtual ~HasVocabulary() = default;
  /// The length that the vocabulary will have, special tokens included: shapes of outputs follow
  /// from it before the vocabulary itself is there.
  virtual void expect_vocabulary(int64_t size) = 0;
  /// Takes the tokens as if they had been learned, special ones first. Throws ValueError for what
  /// is no vocabulary of this layer.
  virtual void restore_vocabulary(const std::vector<std::string>& tokens) = 0;
};

/// A layer that can give texts.
class GivesStrings {
 public:
  virtual ~GivesStrings() = default;
  /// Throws ValueError where the layer's options have it give numbers.
  virtual StringTensor call_to_strings(const Tensor& input) = 0;
};

}  // namespace antler
