// Operations of keras.ops that select, sort and sum elements; products and windows.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/activation.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

/// x[key]: `key` is one entry or a list of numbers, slices, null (a new axis) and one ellipsis.
Nest run_get_item(const OpArguments& a, const Json& config) {
  const Json& given = config.at("key");
  const Json key = given.is_array() ? given : Json::array({given});
  const auto number = [](const Json& value) -> std::optional<int64_t> {
    if (value.is_null()) return std::nullopt;
    return value.get<int64_t>();
  };
  std::vector<Index> indices;
  for (const Json& item : key) {
    const std::string kind = item.is_object() ? item.value("class_name", std::string()) : "";
    if (item.is_null()) {
      indices.emplace_back(NewAxis);
    } else if (item.is_number_integer()) {
      indices.emplace_back(item.get<int64_t>());
    } else if (kind == "__ellipsis__") {
      indices.emplace_back(Ellipsis);
    } else if (kind == "__slice__") {
      const Json& slice = item.at("config");
      indices.emplace_back(Slice(number(slice.at("start")), number(slice.at("stop")),
                                 number(slice.at("step")).value_or(1)));
    } else {
      throw NotImplementedError("keras.ops.get_item with the key {} is not supported.",
                                item.dump());
    }
  }
  return ops::get_item(operand(a), indices);
}

Nest run_einsum(const OpArguments& a, const Json& config) {
  return ops::einsum(config.at("subscripts").get<std::string>(), operands(a));
}

Nest run_pad(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  const Json& width = config.at("pad_width");
  if (width.is_array() && width.size() > 1 && std::ssize(width) != x.rank()) {
    throw ValueError(
        "`pad_width` must have an entry for each axis. Received: {} entries, x.shape={}",
        width.size(), x.shape());
  }
  for (int k = 0; k < x.rank(); ++k) {
    const Json& pair = width.is_number()   ? width
                       : width.size() == 1 ? width[0]
                                           : width.at(static_cast<size_t>(k));
    const std::vector<int64_t> sides = integer_list(pair);
    if (sides.empty()) throw ValueError("`pad_width` needs numbers for each axis. Received: []");
    low.push_back(sides.front());
    high.push_back(sides.back());
  }
  const std::string mode = config.value("mode", std::string("constant"));
  const bool given = a.size() > 1 && !a[1].is_none();
  if (given && mode != "constant") {
    throw ValueError(
        "Argument `constant_values` can only be provided when `mode == 'constant'`. Received: "
        "mode={}",
        mode);
  }
  if (mode != "constant") return ops::pad_mirrored(x, low, high, mode);
  return ops::pad(x, low, high, {}, given ? a[1].tensor() : Tensor(0));
}

template <Tensor (*op)(const Tensor&, std::optional<int64_t>, ops::CumulativeOptions)>
Nest cumulative(const OpArguments& a, const Json& config) {
  const Along at = along(operand(a), option(config, "axis"));
  return op(at.x, at.axis, {});
}

Nest run_top_k(const OpArguments& a, const Json& config) {
  const ops::TopK top = ops::top_k(operand(a), config.at("k").get<int64_t>());
  return Nest{top.values, top.indices};
}

Nest run_round(const OpArguments& a, const Json& config) {
  return ops::round(operand(a), config.value("decimals", int64_t{0}));
}

Nest run_slice(const OpArguments& a, const Json& config) {
  std::vector<int64_t> starts;
  for (const Tensor& t : a.at(1).flatten()) {
    for (const double v : t.to_doubles()) starts.push_back(static_cast<int64_t>(v));
  }
  return ops::slice(operand(a), starts, integer_list(config.at("shape")));
}

Nest run_unstack(const OpArguments& a, const Json& config) {
  return ops::unstack(operand(a), config.value("axis", int64_t{0}));
}

Nest run_roll(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  const Json axis = option(config, "axis");
  const std::vector<int64_t> shifts = integer_list(config.at("shift"));
  if (axis.is_null()) return ops::roll(x, shifts.at(0));
  const std::vector<int64_t> axes = integer_list(axis);
  Tensor y = x;
  for (size_t k = 0; k < axes.size(); ++k) {
    y = ops::roll(y, shifts.size() == 1 ? shifts[0] : shifts.at(k), axes[k]);
  }
  return y;
}

Nest run_tensordot(const OpArguments& a, const Json& config) {
  const Json& axes = config.at("axes");
  if (axes.is_number_integer()) {
    return ops::tensordot(operand(a), operand(a, 1), axes.get<int64_t>());
  }
  return ops::tensordot(operand(a), operand(a, 1), integer_list(axes.at(0)),
                        integer_list(axes.at(1)));
}

template <Tensor (*op)(const Tensor&, std::vector<int64_t>, const ops::PoolOptions&)>
Nest pool(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  const Json data_format = option(config, "data_format");
  if (!data_format.is_null() && data_format != "channels_last") {
    throw NotImplementedError("Pooling of keras.ops with channels_first is not supported.");
  }
  const auto sizes = [&](const Json& value) {
    std::vector<int64_t> list = integer_list(value);
    if (list.size() == 1) list.resize(static_cast<size_t>(x.rank() - 2), list[0]);
    return list;
  };
  const std::vector<int64_t> window = sizes(config.at("pool_size"));
  const Json strides = option(config, "strides");
  return op(x, window,
            {.strides = strides.is_null() ? window : sizes(strides),
             .padding = config.value("padding", std::string("valid"))});
}

Nest run_sort(const OpArguments& a, const Json& config) {
  const Along at = along(operand(a), config.value("axis", Json(-1)));
  return ops::sort(at.x, at.axis);
}

Nest run_argsort(const OpArguments& a, const Json& config) {
  const Along at = along(operand(a), config.value("axis", Json(-1)));
  return ops::argsort(at.x, at.axis);
}

Nest filled(const OpArguments& a, const Json& config, double value) {
  const Tensor& x = operand(a);
  const DType type = optional_dtype(config).value_or(x.dtype());
  return ops::full(x.shape(), Tensor::full(type, {}, value), type);
}

constexpr KerasOpEntry kNumericEntries[] = {
    {"GetItem", run_get_item},
    {"Einsum", run_einsum},
    {"Pad", run_pad},
    {"Cumsum", cumulative<ops::cumsum>},
    {"Cumprod", cumulative<ops::cumprod>},
    {"TopK", run_top_k, "math"},
    {"MaxPool", pool<ops::max_pool>, "nn"},
    {"AveragePool", pool<ops::average_pool>, "nn"},
    {"Sort", run_sort},
    {"Argsort", run_argsort},
    {"Round", run_round},
    {"Slice", run_slice, "core"},
    {"Unstack", run_unstack, "core"},
    {"Roll", run_roll},
    {"Tensordot", run_tensordot},
    {"Tril", on_diagonal<ops::tril>},
    {"Triu", on_diagonal<ops::triu>},
    {"ZerosLike", [](const OpArguments& a, const Json& c) { return filled(a, c, 0); }},
    {"OnesLike", [](const OpArguments& a, const Json& c) { return filled(a, c, 1); }},
    {"TakeAlongAxis",
     [](const OpArguments& a, const Json& c) -> Nest {
       const Along at = along(operand(a), option(c, "axis"));
       const Tensor& indices = operand(a, 1);
       if (indices.rank() != at.x.rank()) {
         throw ValueError(
             "`x` and `indices` must have the same number of dimensions. Received: x.shape={}, "
             "indices.shape={}",
             at.x.shape(), indices.shape());
       }
       Shape shape = at.x.shape();
       shape[static_cast<int>(at.axis)] = indices.dim(static_cast<int>(at.axis));
       return ops::take_along_axis(at.x, ops::broadcast_to(indices, shape), at.axis);
     }},
    {"HardTanh", unary<activations::hard_tanh>, "nn"},
    {"TanhShrink", unary<activations::tanh_shrink>, "nn"},
    {"SparsePlus", unary<activations::sparse_plus>, "nn"},
    {"SparseSigmoid", unary<activations::sparse_sigmoid>, "nn"},
    {"SoftShrink",
     [](const OpArguments& a, const Json& c) -> Nest {
       return activations::soft_shrink(operand(a), c.value("threshold", 0.5));
     },
     "nn"},
    {"HardShrink",
     [](const OpArguments& a, const Json& c) -> Nest {
       return activations::hard_shrink(operand(a), c.value("threshold", 0.5));
     },
     "nn"},
    {"Squareplus",
     [](const OpArguments& a, const Json& c) -> Nest {
       return activations::squareplus(operand(a), c.value("b", 4.0));
     },
     "nn"},
    {"Glu",
     [](const OpArguments& a, const Json& c) -> Nest {
       return activations::glu(operand(a), c.value("axis", int64_t{-1}));
     },
     "nn"},
    {"Sparsemax",
     [](const OpArguments& a, const Json& c) -> Nest {
       return activations::sparsemax(operand(a), c.value("axis", int64_t{-1}));
     },
     "nn"},
    {"Threshold",
     [](const OpArguments& a, const Json& c) -> Nest {
       return activations::threshold(operand(a), c.at("threshold").get<double>(),
                                     c.at("default_value").get<double>());
     },
     "nn"},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> numeric_keras_ops() { return keras_ops::kNumericEntries; }

}  // namespace antler
