#include <algorithm>
#include <cstring>
#include <numeric>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/sorting.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"
#include "ops/numpy/reductions/lanes.h"

namespace antler::ops {
namespace {

/// Calls f(offset of the lane, order) for each lane: order[k] is the index of its k-th element in
/// sorted order. Stable; NaN is last in both directions.
template <class F>
void for_each_order(const Tensor& x, const Lanes& lanes, bool descending, F f) {
  std::vector<int32_t> order(static_cast<size_t>(lanes.length));
  dispatch(x.dtype(), [&]<class T>() {
    using C = ComputeType<T>;
    const T* data = x.template data<T>();
    lanes.for_each([&](int64_t first) {
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int32_t i, int32_t j) {
        const C a = static_cast<C>(data[first + i * lanes.inner]);
        const C b = static_cast<C>(data[first + j * lanes.inner]);
        return (descending ? a > b : a < b) || (a == a && b != b);
      });
      f(first, order);
    });
  });
}

void copy_element(const Tensor& from, int64_t i, const Tensor& to, int64_t j) {
  const size_t size = dtype_size(from.dtype());
  std::memcpy(static_cast<char*>(to.mutable_data()) + static_cast<size_t>(j) * size,
              static_cast<const char*>(from.data()) + static_cast<size_t>(i) * size, size);
}

constinit const OpDef kSort = {
    .name = "sort",
    .infer = infer_alike<"sort", kAnyDType, 1>,
    .vjp = [](const VjpArgs& v) -> Tensors {
      const int64_t axis = v.attrs.integer("axis");
      const Tensor order = argsort(v.inputs[0], axis, {.descending = v.attrs.flag("descending")});
      return {take_along_axis(v.grads[0], argsort(order, axis),
                              axis)};  // argsort inverts a permutation
    },
    .reference =
        [](const ReferenceArgs& args) {
          const Lanes lanes(args.inputs[0].shape(), args.attrs.integer("axis"));
          for_each_order(args.inputs[0], lanes, args.attrs.flag("descending"),
                         [&](int64_t first, const auto& order) {
                           for (size_t k = 0; k < order.size(); ++k) {
                             copy_element(args.inputs[0], first + order[k] * lanes.inner,
                                          args.outputs[0],
                                          first + static_cast<int64_t>(k) * lanes.inner);
                           }
                         });
        },
};

constinit const OpDef kArgsort = {
    .name = "argsort",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_operands("argsort", args, 1);
      return {{DType::int32, args.inputs[0].shape}};
    },
    .reference =
        [](const ReferenceArgs& args) {
          const Lanes lanes(args.inputs[0].shape(), args.attrs.integer("axis"));
          auto* out = args.outputs[0].mutable_data<int32_t>();
          for_each_order(args.inputs[0], lanes, args.attrs.flag("descending"),
                         [&](int64_t first, const auto& order) {
                           for (size_t k = 0; k < order.size(); ++k)
                             out[first + static_cast<int64_t>(k) * lanes.inner] = order[k];
                         });
        },
    .no_gradient = true,
};

constinit const OpDef kTopK = {
    .name = "top_k",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_operands("top_k", args, 1);
      Shape shape = args.inputs[0].shape;
      const int64_t k = args.attrs.integer("k");
      if (shape.empty() || k < 0 || (shape.back() != Shape::kUnknown && k > shape.back())) {
        throw ValueError(
            "ops::top_k: expected k between 0 and the size of the last axis. Received: k={}, "
            "x.shape={}.",
            k, shape);
      }
      shape[shape.rank() - 1] = k;
      return {{args.inputs[0].dtype, shape}, {DType::int32, shape}};
    },
    .vjp = [](const VjpArgs& v) -> Tensors {
      if (!v.grads[0].defined()) return {{}};
      return {scatter_along_last(v.grads[0], v.outputs[1], v.inputs[0].dim(-1))};
    },
    .reference =
        [](const ReferenceArgs& args) {
          const int64_t count = args.attrs.integer("k");
          const Lanes lanes(args.inputs[0].shape(), args.inputs[0].rank() - 1);
          auto* indices = args.outputs[1].mutable_data<int32_t>();
          int64_t at = 0;
          for_each_order(args.inputs[0], lanes, true, [&](int64_t first, const auto& order) {
            for (int64_t k = 0; k < count; ++k, ++at) {
              indices[at] = order[static_cast<size_t>(k)];
              copy_element(args.inputs[0], first + indices[at], args.outputs[0], at);
            }
          });
        },
};

Tensor along_axis(const OpDef& op, const Tensor& x, int64_t axis, bool descending) {
  require_defined(op.name, x);
  const int64_t a = normalize_axis_of(op.name, axis, x.rank());
  return ir::emit_one(op, {to_dtype(x, x.dtype())}, {{"axis", a}, {"descending", descending}});
}

}  // namespace

OpSpan sort_ops() {
  static constexpr const OpDef* kOps[] = {&kSort, &kArgsort, &kTopK};
  return kOps;
}

Tensor sort(const Tensor& x, int64_t axis, SortOptions options) {
  return along_axis(kSort, x, axis, options.descending);
}
Tensor argsort(const Tensor& x, int64_t axis, SortOptions options) {
  return along_axis(kArgsort, x, axis, options.descending);
}

TopK top_k(const Tensor& x, int64_t k) {
  require_defined("top_k", x);
  const Tensors results = ir::emit(kTopK, {to_dtype(x, x.dtype())}, {{"k", k}});
  return {results[0], results[1]};
}

}  // namespace antler::ops
