// Gathers and scatters.
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

using Ints = std::vector<int64_t>;

Tensors gather_along(const TfCall& c, int64_t axis, int64_t batch_dims) {
  const Tensor& x = c.in(0);
  const Tensor& indices = c.in(1);
  axis = c.axis(axis, x.rank());
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims == 0) return {ops::take(x, indices, axis)};
  if (axis != batch_dims) c.unsupported("its axis is not the first one after the batch axes");
  if (batch_dims > indices.rank()) c.unsupported("its indices do not have all batch axes");
  // Merge the batch axes into the gathered axis and offset the indices of each batch element.
  const Ints dims = x.shape().dims();
  int64_t batch = 1;
  Ints ones;
  for (int64_t i = 0; i < batch_dims; ++i) batch *= dims[static_cast<size_t>(i)];
  const int64_t n = dims[static_cast<size_t>(axis)];
  Ints merged = {batch * n};
  merged.insert(merged.end(), dims.begin() + axis + 1, dims.end());
  Ints offsets_shape(indices.shape().dims().begin(), indices.shape().dims().begin() + batch_dims);
  offsets_shape.resize(static_cast<size_t>(indices.rank()), 1);
  const Tensor offsets =
      ops::reshape(ops::arange(0, batch * n, n, {.dtype = indices.dtype()}), Shape(offsets_shape));
  return {ops::take(ops::reshape(x, Shape(merged)), ops::add(indices, offsets), 0)};
}

Tensors gather(const TfCall& c) {
  return gather_along(c, c.size() > 2 ? c.integer(2) : 0, c.integer("batch_dims", 0));
}

Tensors gather_nd(const TfCall& c) { return {ops::gather_nd(c.in(0), c.in(1))}; }

Tensors one_hot(const TfCall& c) {
  const Tensor ones = ops::one_hot(c.in(0), c.integer(1), {.axis = c.integer("axis", -1)});
  const Tensor chosen = ops::greater(ones, 0);
  return {ops::where(chosen, c.in(2), c.in(3))};
}

template <ops::ScatterMode mode>
Tensors scatter(const TfCall& c) {
  return {ops::scatter_nd(c.in(0), c.in(1), c.in(2), mode)};
}

Tensors scatter_nd(const TfCall& c) {
  const Tensor zeros = ops::zeros(Shape(c.ints(2)), c.in(1).dtype());
  return {ops::scatter_nd(zeros, c.in(0), c.in(1), ops::ScatterMode::add)};
}

/// Element i of the result is the position of i.
Tensors invert_permutation(const TfCall& c) {
  const Ints order = c.ints(0);
  Ints places(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    places.at(static_cast<size_t>(c.axis(order[i], static_cast<int64_t>(order.size())))) =
        static_cast<int64_t>(i);
  }
  return {ops::cast(Tensor::of(places), c.in(0).dtype())};
}

}  // namespace

void add_tf_indexing(TfOps& all) {
  all.insert({{"GatherV2", gather},
              {"Gather", gather},
              {"ResourceGather", gather},  // its first input is read as a tensor
              {"GatherNd", gather_nd},
              {"ResourceGatherNd", gather_nd},
              {"OneHot", one_hot},
              {"ScatterNd", scatter_nd},
              {"TensorScatterUpdate", scatter<ops::ScatterMode::set>},
              {"TensorScatterAdd", scatter<ops::ScatterMode::add>},
              {"TensorScatterMax", scatter<ops::ScatterMode::max>},
              {"TensorScatterMin", scatter<ops::ScatterMode::min>},
              {"InvertPermutation", invert_permutation}});
}

}  // namespace antler::saving
