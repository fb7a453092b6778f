#include <numeric>
#include <optional>

#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

using Reduction = Tensor (*)(const Tensor&, const ops::Axes&, ops::ReduceOptions);

template <Reduction f>
Tensors reduction(const TfCall& c) {
  const Tensor& x = c.in(0);
  ops::Axes axes = c.ints(1);
  // Unlike in NumPy, an empty list of axes reduces nothing.
  if (axes.empty()) return {x};
  for (int64_t& axis : axes) axis = c.axis(axis, x.rank());
  const Tensor y = f(x, axes, {.keepdims = c.flag("keep_dims", false)});
  return {y.dtype() == x.dtype() ? y : ops::cast(y, x.dtype())};
}

Tensor norm(const Tensor& x, const ops::Axes& axes, ops::ReduceOptions options) {
  return ops::sqrt(ops::sum(ops::square(x), axes, options));
}

template <Tensor (*f)(const Tensor&, std::optional<int64_t>, ops::ReduceOptions)>
Tensors extremum(const TfCall& c) {
  const int64_t axis = c.size() > 1 ? c.axis(c.integer(1), c.in(0).rank()) : 0;
  return {ops::cast(f(c.in(0), axis, {}), c.dtype("output_type", DType::int64))};
}

template <Tensor (*f)(const Tensor&, std::optional<int64_t>, ops::CumulativeOptions)>
Tensors cumulative(const TfCall& c) {
  return {f(c.in(0), c.axis(c.integer(1), c.in(0).rank()),
            {.reverse = c.flag("reverse", false), .exclusive = c.flag("exclusive", false)})};
}

Tensors top_k(const TfCall& c) {
  const ops::TopK top = ops::top_k(c.in(0), c.integer(1));
  return {top.values, top.indices};
}

}  // namespace

void add_tf_reductions(TfOps& all) {
  all.insert({{"Sum", reduction<ops::sum>},
              {"Prod", reduction<ops::prod>},
              {"Mean", reduction<ops::mean>},
              {"Max", reduction<ops::max>},
              {"Min", reduction<ops::min>},
              {"Any", reduction<ops::any>},
              {"All", reduction<ops::all>},
              {"EuclideanNorm", reduction<norm>},
              {"ArgMax", extremum<ops::argmax>},
              {"ArgMin", extremum<ops::argmin>},
              {"Cumsum", cumulative<ops::cumsum>},
              {"Cumprod", cumulative<ops::cumprod>},
              {"TopKV2", top_k}});
}

}  // namespace antler::saving
