#include "compiler/random_program.h"

#include <algorithm>
#include <numeric>

#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/plan_checks.h"

namespace antler::compiler {

RandomProgram::RandomProgram(uint64_t seed, const RandomProgramOptions& options)
    : seed_(seed), options_(options), engine_(seed * 77 + 5) {
  const auto size = [&] {
    return std::uniform_int_distribution<int64_t>(1, options.largest)(engine_);
  };
  const int64_t a = size();
  const int64_t b = size();
  const int64_t c = size();
  inputs_ = {random_tensor(DType::float32, {a, b, c}, seed),
             random_tensor(DType::float32, {b, c}, seed + 1),
             random_tensor(DType::float32, {c}, seed + 2),
             random_tensor(DType::float32, {a * b * c}, seed + 3)};
  // Variables of few shapes, so that they often fit each other.
  for (size_t i = 0; i < seed % 4; ++i) {
    variables_.emplace_back(random_tensor(DType::float32, inputs_[i % 2].shape(), seed + 10 + i));
  }
}

Tensors RandomProgram::operator()(const Tensors& inputs) {
  engine_.seed(seed_);
  Tensors values = inputs;
  const int count = pick(4, 24);
  for (int i = 0; i < count; ++i) {
    values.push_back(step(values));
    if (variables_.empty() || pick(0, 2) != 0) continue;
    const Variable& v =
        variables_[static_cast<size_t>(pick(0, static_cast<int>(variables_.size()) - 1))];
    if (pick(0, 1) == 0) {
      values.push_back(v);
    } else {
      v.assign(fit(any(values), v));
    }
  }
  Tensors results;
  const int wanted = pick(1, 4);
  for (int i = 0; i < wanted; ++i) results.push_back(any(values));
  results.push_back(values.back());
  return results;
}

const Tensor& RandomProgram::any(const Tensors& values) {
  // Late values more often: deeper graphs.
  const int n = static_cast<int>(values.size());
  return values[static_cast<size_t>(std::max(pick(0, n - 1), pick(0, n - 1)))];
}

Tensor RandomProgram::unary(const Tensor& x) {
  switch (pick(0, options_.smooth ? 5 : 9)) {
    case 0:
      return ops::tanh(x);
    case 1:
      return ops::negative(x);
    case 2:
      return ops::exp(ops::minimum(x, 1.0));
    case 3:
      return ops::absolute(x);
    case 4:
      return ops::multiply(x, 0.5);
    case 5:
      return ops::cast(ops::multiply(ops::cast(x, DType::float64), 0.125), DType::float32);
    case 6:
      return ops::cast(ops::greater(x, 0.25), DType::float32);
    case 7:
      return ops::cast(ops::cast(ops::multiply(x, 3.0), DType::int32), DType::float32);
    case 8:
      return ops::cast(ops::add(ops::cast(x, DType::bfloat16), 1.0), DType::float32);
    default:
      return ops::sigmoid(x);
  }
}

Tensor RandomProgram::binary(const Tensor& x, const Tensor& y) {
  switch (pick(0, 5)) {
    case 0:
      return ops::subtract(x, y);
    case 1:
      return ops::maximum(x, y);
    case 2:
      return ops::where(ops::less(x, y), x, options_.smooth ? y : ops::multiply(y, 0.5));
    case 3:
      return ops::divide(x, ops::add(ops::absolute(y), 1.0));
    case 4:
      return ops::multiply(ops::tanh(x), y);
    default:
      return ops::add(x, y);
  }
}

Tensor RandomProgram::fit(const Tensor& y, const Tensor& x) {
  if (y.shape() == x.shape()) return y;
  if (y.size() == x.size()) return ops::reshape(y, x.shape());
  for (int axis = 0; axis < x.rank(); ++axis) {  // along one axis of x
    if (y.rank() == 1 && y.dim(0) == x.dim(axis)) {
      std::vector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
      dims[static_cast<size_t>(axis)] = y.dim(0);
      return ops::broadcast_to(ops::reshape(y, Shape(dims)), x.shape());
    }
  }
  return ops::broadcast_to(ops::reshape(ops::mean(y), Shape{}), x.shape());
}

Tensor RandomProgram::movement(const Tensor& x) {
  const int rank = x.rank();
  switch (pick(0, 4)) {
    case 0: {
      std::vector<int64_t> perm(static_cast<size_t>(rank));
      std::iota(perm.begin(), perm.end(), 0);
      std::shuffle(perm.begin(), perm.end(), engine_);
      return ops::transpose(x, perm);
    }
    case 1: {
      if (rank == 0) return ops::broadcast_to(x, {3});
      const int axis = pick(0, rank - 1);
      const auto size = static_cast<int>(x.dim(axis));
      const int start = pick(0, size - 1);
      return ops::slice_axis(x, axis, start, pick(start + 1, size), pick(1, 2));
    }
    case 2: {
      if (rank == 0) return x;
      return ops::reverse(x, {pick(0, rank - 1)});
    }
    case 3:
      return reshape(x);
    default: {
      if (rank > 3 || x.size() > 200) return reshape(x);
      return ops::repeat(ops::expand_dims(x, pick(0, rank)), pick(2, 3), pick(0, rank));
    }
  }
}

Tensor RandomProgram::reshape(const Tensor& x) {
  std::vector<int64_t> dims;
  int64_t rest = x.size();
  while (rest > 1 && dims.size() < 4) {
    int64_t d = pick(2, 6);
    if (rest % d != 0) d = dims.size() == 3 ? rest : 1;
    if (d > 1 || pick(0, 3) == 0) dims.push_back(d);
    rest /= d;
    if (d == 1 && pick(0, 3) == 0) {
      dims.push_back(rest);
      rest = 1;
    }
  }
  if (rest > 1) dims.push_back(rest);
  return ops::reshape(x, Shape(dims));
}

Tensor RandomProgram::reduction(const Tensor& x) {
  std::vector<int64_t> axes;
  for (int i = 0; i < x.rank(); ++i) {
    if (pick(0, 1) == 1) axes.push_back(i);
  }
  const ops::ReduceOptions keep = {.keepdims = pick(0, 1) == 1};
  switch (pick(0, options_.smooth ? 2 : 3)) {
    case 0:
      return ops::max(x, axes, keep);
    case 1:
      return ops::min(x, axes, keep);
    case 2:
      return ops::mean(x, axes, keep);
    default:
      return x.rank() == 0 ? x : ops::cast(ops::argmax(x, pick(0, x.rank() - 1)), DType::float32);
  }
}

/// Ops with their own kernels, composites, products.
Tensor RandomProgram::other(const Tensor& x, const Tensors& values) {
  if (x.rank() == 0) return unary(x);
  const int axis = pick(0, x.rank() - 1);
  switch (pick(0, options_.smooth ? 4 : 5)) {
    case 0:
      return ops::softmax(x, axis);
    case 1:
      return ops::log_softmax(x, axis);
    case 2:
      return ops::cumsum(x, axis);
    case 3:
      return x.size() > 100 ? unary(x) : ops::concatenate({x, fit(any(values), x)}, axis);
    case 4: {
      if (x.dim(0) > 64) return unary(x);
      const Tensor m = ops::reshape(x, {x.dim(0), x.size() / x.dim(0)});
      return ops::multiply(ops::matmul(m, ops::transpose(m)), 0.1);
    }
    default: {
      const Tensor sum =
          ops::sum(ops::cast(ops::greater(x, 0.0), DType::int64), {axis}, {.keepdims = true});
      return ops::cast(ops::broadcast_to(sum, x.shape()), DType::float32);
    }
  }
}

Tensor RandomProgram::step(const Tensors& values) {
  const Tensor& x = any(values);
  switch (pick(0, 10)) {
    case 10:
      return other(x, values);
    case 0:
    case 1:
      return unary(x);
    case 2:
    case 3:
      return movement(x);
    case 4:
    case 5:
      return reduction(x);
    case 6:
      // What normalisations do: back to the space that was reduced.
      return x.rank() == 0 ? unary(x)
                           : binary(x, fit(ops::sum(x, {x.rank() - 1}, {.keepdims = true}), x));
    default:
      return binary(x, fit(any(values), x));
  }
}

}  // namespace antler::compiler
