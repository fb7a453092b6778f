// Operations of keras.ops that count, search and find statistics.
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

Nest run_average(const OpArguments& a, const Json& config) {
  return ops::average(operand(a), axes_of(config), {.weights = optional_operand(a, 1)});
}
Nest run_count_nonzero(const OpArguments& a, const Json& config) {
  return ops::count_nonzero(operand(a), axes_of(config));
}

template <Tensor (*op)(const Tensor&, const Tensor&, const ops::Axes&, const ops::QuantileOptions&)>
Nest of_order(const OpArguments& a, const Json& config) {
  return op(operand(a), operand(a, 1), axes_of(config),
            {.method = config.value("method", std::string("linear")),
             .keepdims = reduce_options_of(config).keepdims});
}

template <Tensor (*op)(const Tensor&, std::optional<int64_t>)>
Nest cumulative_along(const OpArguments& a, const Json& config) {
  const Along at = along(operand(a), option(config, "axis"));
  return op(at.x, at.axis);
}

/// A constant array of the configuration.
Tensor array_of(const Json& value) {
  const Json& items = value.is_object() && value.contains("items") ? value["items"] : value;
  return Tensor::of(items.get<std::vector<float>>());
}

Nest run_trapezoid(const OpArguments& a, const Json& config) {
  const Json places = option(config, "x");
  return ops::trapezoid(operand(a), {.x = places.is_null() ? Tensor() : array_of(places),
                                     .dx = config.value("dx", 1.0),
                                     .axis = config.value("axis", int64_t{-1})});
}

Nest run_searchsorted(const OpArguments& a, const Json& config) {
  return ops::searchsorted(operand(a), operand(a, 1), config.value("side", std::string("left")));
}
Nest run_bincount(const OpArguments& a, const Json& config) {
  const Json weights = option(config, "weights");
  return ops::bincount(operand(a), {.weights = weights.is_null() ? Tensor() : array_of(weights),
                                    .minlength = config.value("minlength", int64_t{0})});
}
Nest run_histogram(const OpArguments& a, const Json& config) {
  const Json range = option(config, "range");
  std::optional<std::pair<double, double>> given;
  if (!range.is_null()) {
    const std::vector<double> ends = array_of(range).to_doubles();
    given = {ends.at(0), ends.at(1)};
  }
  const ops::Histogram result =
      ops::histogram(operand(a), config.value("bins", int64_t{10}), given);
  return Nest{result.counts, result.edges};
}
Nest run_isin(const OpArguments& a, const Json& config) {
  return ops::isin(operand(a), operand(a, 1), {.invert = config.value("invert", false)});
}
Nest run_unique(const OpArguments& a, const Json& config) {
  const ops::Unique found =
      ops::unique(operand(a), {.axis = optional_integer(config, "axis"),
                               .size = optional_integer(config, "size"),
                               .fill_value = optional_number(config, "fill_value")});
  std::vector<Nest> results = {found.values};
  if (config.value("return_index", false)) results.emplace_back(found.indices);
  if (config.value("return_inverse", false)) results.emplace_back(found.inverse);
  if (config.value("return_counts", false)) results.emplace_back(found.counts);
  if (results.size() == 1) return results[0];
  return results;
}
Nest run_nonzero(const OpArguments& a, const Json&) { return ops::nonzero(operand(a)); }
Nest run_argpartition(const OpArguments& a, const Json& config) {
  const Along at = along(operand(a), config.value("axis", Json(-1)));
  return ops::argpartition(at.x, config.at("kth").get<int64_t>(), at.axis);
}
Nest run_in_top_k(const OpArguments& a, const Json& config) {
  return ops::in_top_k(operand(a), operand(a, 1), config.at("k").get<int64_t>());
}
template <Tensor (*op)(const Tensor&, const Tensor&, std::optional<int64_t>)>
Nest segments(const OpArguments& a, const Json& config) {
  return op(operand(a), operand(a, 1), optional_integer(config, "num_segments"));
}

constexpr KerasOpEntry kStatisticsEntries[] = {
    {"Average", run_average},
    {"CountNonzero", run_count_nonzero},
    {"Median", reduction<ops::median>},
    {"Quantile", of_order<ops::quantile>},
    {"Percentile", of_order<ops::percentile>},
    {"Ptp", reduction<ops::ptp>},
    {"Corrcoef", unary<ops::corrcoef>},
    {"Trapezoid", run_trapezoid},
    {"Nansum", reduction<ops::nansum>},
    {"Nanprod", reduction<ops::nanprod>},
    {"Nanmax", reduction<ops::nanmax>},
    {"Nanmin", reduction<ops::nanmin>},
    {"Nanmean", reduction<ops::nanmean>},
    {"Nanvar", reduction<ops::nanvar>},
    {"Nanstd", reduction<ops::nanstd>},
    {"Nanmedian", reduction<ops::nanmedian>},
    {"Nanquantile", of_order<ops::nanquantile>},
    {"Nanpercentile", of_order<ops::nanpercentile>},
    {"Nanargmax", index_reduction<ops::nanargmax>},
    {"Nanargmin", index_reduction<ops::nanargmin>},
    {"Nancumsum", cumulative_along<ops::nancumsum>},
    {"Nancumprod", cumulative_along<ops::nancumprod>},
    {"SearchSorted", run_searchsorted},
    {"Digitize", binary<ops::digitize>},
    {"Bincount", run_bincount},
    {"Histogram", run_histogram},
    {"IsIn", run_isin},
    {"Unique", run_unique},
    {"Nonzero", run_nonzero},
    {"Argpartition", run_argpartition},
    {"InTopK", run_in_top_k, "math"},
    {"SegmentSum", segments<ops::segment_sum>, "math"},
    {"SegmentProd", segments<ops::segment_prod>, "math"},
    {"SegmentMax", segments<ops::segment_max>, "math"},
    {"SegmentMin", segments<ops::segment_min>, "math"},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> statistics_keras_ops() { return keras_ops::kStatisticsEntries; }

}  // namespace antler
