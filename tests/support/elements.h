#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "antler/core/tensor.h"

/// Arrays as functions of an index, for expected values that are written as a formula.
namespace antler::test {

using Index = std::vector<int64_t>;

/// f(index) for every index of `shape`, row-major.
std::vector<double> elements(const Shape& shape, const std::function<double(const Index&)>& f);

/// Elements of a tensor by index.
class View {
 public:
  explicit View(const Tensor& x) : shape_(x.shape()), values_(x.to_doubles()) {}
  double operator()(const Index& index) const;

 private:
  Shape shape_;
  std::vector<double> values_;
};

}  // namespace antler::test
