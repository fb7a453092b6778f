#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

namespace antler {

/// The outputs of a model for all samples. A single output is used as the array that Keras returns:
/// an index is a row of it. Otherwise it is the list or dictionary of the outputs.
class Prediction : public Nest {
 public:
  Prediction() = default;
  Prediction(Nest outputs) : Nest(std::move(outputs)) {}  // NOLINT(google-explicit-constructor)

  /// All outputs: `const Tensors outputs = model.predict(x)`.
  operator Tensors() const { return flatten(); }  // NOLINT(google-explicit-constructor)
  /// A row of the single output, else the output with this index; negative ones count from the end.
  /// Throws IndexError.
  Prediction operator[](int64_t index) const { return part(index); }
  /// The output of this name. Throws KeyError.
  template <std::convertible_to<std::string> S>
  Prediction operator[](const S& key) const {
    return at(key);
  }
  // The rest is for a single output; throws TypeError for a list or dictionary.
  Tensor operator[](const Slice& rows) const { return tensor()[rows]; }
  Tensor operator[](std::initializer_list<Index> indices) const { return tensor()[indices]; }
  /// Copies the elements out; T must match dtype().
  template <class T>
  std::vector<T> to_vector() const {
    return tensor().to_vector<T>();
  }
};

}  // namespace antler

template <>
struct std::tuple_size<antler::Prediction> : std::tuple_size<antler::Nest> {};
template <std::size_t I>
struct std::tuple_element<I, antler::Prediction> : std::tuple_element<I, antler::Nest> {};
