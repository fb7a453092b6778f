#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/named_only.h"
#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// Interfaces that some layers implement beside Layer. Use dynamic_cast on a Layer.
namespace antler {

class Adaptable;
/// Calls adapt() of antler/training/adapt.h. It is found by argument-dependent lookup, because
/// layers do not depend on data sets.
template <class Dataset>
void adapt_to_dataset(Adaptable& layer, const Dataset& batches, int64_t steps) {
  adapt(layer, batches, steps);
}

/// The argument of Adaptable::adapt() by name.
struct AdaptArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t steps = -1;  ///< batches to read; -1: all
};

/// A layer whose state is computed from a sample of the data.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  /// Forgets what was learned before, then learns from `data` [samples, ...]. Throws TypeError
  /// if the layer takes strings, ValueError if its state was given.
  virtual void adapt(const Tensor& data);
  /// The same for strings. Throws TypeError if the layer takes numbers.
  virtual void adapt(const StringTensor& data);
  /// Learns from the first `steps` batches of a data set (-1: all); see antler/training/adapt.h.
  template <class Dataset>
  requires requires(const Dataset& batches) { batches.element_spec(); }
  void adapt(const Dataset& batches, int64_t steps = -1) {
    adapt_to_dataset(*this, batches, steps);
  }
  /// `adapt(batches, kw::steps = 10)`.
  template <class Dataset>
  requires requires(const Dataset& batches) { batches.element_spec(); }
  void adapt(const Dataset& batches, const AdaptArgument& by_name) {
    adapt(batches, by_name.steps);
  }
};

/// A layer that takes strings.
class TakesStrings {
 public:
  virtual ~TakesStrings() = default;
  virtual Tensor call_strings(const StringTensor& input) = 0;
};

/// A layer with a vocabulary. `.keras` files store a learned one among their assets
/// (`vocabulary.txt`).
class HasVocabulary {
 public:
  virtual ~HasVocabulary() = default;
  /// Sets the size of the vocabulary, including special tokens, before the vocabulary itself is
  /// read. Output shapes depend on it.
  virtual void expect_vocabulary(int64_t size) = 0;
  /// Sets the tokens, special ones first, as if they had been learned. Throws ValueError if they
  /// are not a vocabulary of this layer.
  virtual void restore_vocabulary(const std::vector<std::string>& tokens) = 0;
};

/// A layer whose output can be strings.
class GivesStrings {
 public:
  virtual ~GivesStrings() = default;
  /// Throws ValueError if the layer's options make the output numbers.
  virtual StringTensor call_to_strings(const Tensor& input) = 0;
};

}  // namespace antler
