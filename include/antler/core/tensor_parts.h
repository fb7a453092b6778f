#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/tensor.h"

namespace antler {

/// Tensors, as functions return them whose results Python's programs unpack: `const auto [left,
/// right] = ops::split(x, 2);`, `const auto [r, g, b] = ops::unstack(x, -1).unpack<3>();`.
class TensorParts : public Tensors {
 public:
  using Tensors::Tensors;
  TensorParts() = default;
  TensorParts(Tensors parts)  // NOLINT(google-explicit-constructor): the same with names
      : Tensors(std::move(parts)) {}
  /// The N tensors. Throws ValueError if there are more or fewer.
  template <size_t N>
  std::array<Tensor, N> unpack() const {
    if (size() != N) {
      throw ValueError("Cannot unpack {} tensors into {}. All are read by `unpack<{}>()`.", size(),
                       N, size());
    }
    std::array<Tensor, N> parts;
    for (size_t i = 0; i < N; ++i) parts[i] = (*this)[i];
    return parts;
  }
  /// Two tensors need no unpack().
  template <size_t I>
  Tensor get() const {
    return unpack<2>()[I];
  }
};

}  // namespace antler

template <>
struct std::tuple_size<antler::TensorParts> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, antler::TensorParts> {
  using type = antler::Tensor;
};
