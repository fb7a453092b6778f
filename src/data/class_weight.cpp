#include "data/class_weight.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "base/strings.h"
#include "data/utils/draws.h"

namespace antler::data {
namespace {

/// The weights as a list, indexed by class.
std::vector<float> table(const std::map<int64_t, double>& class_weight) {
  std::vector<float> factors;
  for (const auto& [key, value] : class_weight) {
    if (key != static_cast<int64_t>(factors.size())) {
      const std::string found = join(class_weight, ", ", [](const auto& entry) {
        return format("{}: {}", entry.first, entry.second);
      });
      throw ValueError(
          "Expected `class_weight` to have keys from 0 to one less than the number of classes, "
          "found {{{}}}.",
          found);
    }
    factors.push_back(static_cast<float>(value));
  }
  return factors;
}

/// The weight of each sample's class. With two axes or more, `y` is one-hot along the last one.
Tensor weights_of_classes(const std::vector<float>& factors, const Tensor& y) {
  Shape shape = y.shape();
  const int64_t choices = shape.rank() >= 2 ? shape.back() : 1;
  if (shape.rank() >= 2) shape = Shape(shape.begin(), shape.end() - 1);
  Tensor weights = Tensor::empty(DType::float32, shape);
  const auto out = weights.mutable_data<float>();
  const int64_t count = weights.size();
  dispatch(y.dtype(), [&]<class T>() {
    const T* in = y.data<T>();
    for (int64_t i = 0; i < count; ++i, in += choices) {
      double number = 0;
      if (choices > 1) {
        number = static_cast<double>(std::max_element(in, in + choices,
                                                      [](T a, T b) {
                                                        return static_cast<ComputeType<T>>(a) <
                                                               static_cast<ComputeType<T>>(b);
                                                      }) -
                                     in);
      } else {
        number = std::nearbyint(static_cast<double>(static_cast<ComputeType<T>>(*in)));
      }
      if (!(number >= 0 && number < static_cast<double>(factors.size()))) {
        throw ValueError(
            "`class_weight` has no entry for class {} of `y`. Expected classes 0 to {}.", number,
            factors.size() - 1);
      }
      out[i] = factors[static_cast<size_t>(number)];
    }
  });
  return weights;
}

/// Strides of `shape` when it is broadcast to `rank` axes. Missing axes are at the end. The stride
/// of an axis of size 1 is 0.
std::vector<int64_t> broadcast_strides(const Shape& shape, int rank) {
  std::vector<int64_t> strides = shape.strides();
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) strides[static_cast<size_t>(i)] = 0;
  }
  strides.resize(static_cast<size_t>(rank), 0);
  return strides;
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  Shape shape;
  const int rank = std::max(a.rank(), b.rank());
  for (int i = 0; i < rank; ++i) {
    const int64_t p = i < a.rank() ? a.shape()[i] : 1;
    const int64_t q = i < b.rank() ? b.shape()[i] : 1;
    if (p != q && p != 1 && q != 1) {
      throw ValueError("`sample_weight` of shape {} does not match the class weights of shape {}.",
                       b.shape(), a.shape());
    }
    shape.push_back(p == 1 ? q : p);
  }
  Tensor result = Tensor::empty(DType::float32, shape);
  const std::vector<float> left = utils::floats_of(a);
  const std::vector<float> right = utils::floats_of(b);
  const std::vector<int64_t> out_strides = shape.strides();
  const std::vector<int64_t> left_strides = broadcast_strides(a.shape(), rank);
  const std::vector<int64_t> right_strides = broadcast_strides(b.shape(), rank);
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t rest = i;
    int64_t at_left = 0;
    int64_t at_right = 0;
    for (size_t axis = 0; axis < out_strides.size(); ++axis) {
      const int64_t index = rest / out_strides[axis];
      rest %= out_strides[axis];
      at_left += index * left_strides[axis];
      at_right += index * right_strides[axis];
    }
    result.mutable_data<float>()[i] =
        left[static_cast<size_t>(at_left)] * right[static_cast<size_t>(at_right)];
  }
  return result;
}

}  // namespace

Tensor apply_class_weight(const std::map<int64_t, double>& class_weight, const Nest& y,
                          const Nest& sample_weight) {
  const std::vector<float> factors = table(class_weight);
  if (!y.is_tensor() || !sample_weight.is_tensor()) {
    throw ValueError("`class_weight` is only supported for Models with a single output.");
  }
  if (y.is_none()) throw ValueError("`class_weight` needs targets: `y` was not given.");
  const Tensor weights = weights_of_classes(factors, y.tensor());
  return sample_weight.is_none() ? weights : multiply(weights, sample_weight.tensor());
}

}  // namespace antler::data
