#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/layers/categorical.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, DiscretizationOptions& o) {
  list_field(v, "bin_boundaries", o.bin_boundaries);
  v("num_bins", o.num_bins);
  v("epsilon", o.epsilon);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
}

namespace {

void check_options(const DiscretizationOptions& o) {
  check_choice("Discretization", "output_mode", o.output_mode,
               {"int", "one_hot", "multi_hot", "count"});
  if (o.sparse && o.output_mode == "int") {
    throw ValueError(
        "`sparse=True` may only be used if `output_mode` is `'one_hot'`, `'multi_hot'`, or "
        "`'count'`. Received: sparse=True and output_mode=int");
  }
  if (o.num_bins && *o.num_bins < 0) {
    throw ValueError("`num_bins` must be greater than or equal to 0. Received: `num_bins={}`",
                     *o.num_bins);
  }
  if (o.num_bins && o.bin_boundaries) {
    throw ValueError(
        "Both `num_bins` and `bin_boundaries` should not be set. Received: `num_bins={}` and "
        "`bin_boundaries`",
        *o.num_bins);
  }
  if (!o.num_bins && !o.bin_boundaries) {
    throw ValueError("You need to set either `num_bins` or `bin_boundaries`.");
  }
}

/// A quantile summary: ascending values, with the number of elements that each one represents.
struct Summary {
  std::vector<double> values;
  std::vector<double> weights;
};

/// NumPy's interp: linear between the points (xs ascending), constant outside.
double interpolate(double x, const std::vector<double>& xs, const std::vector<double>& ys) {
  if (x <= xs.front()) return ys.front();
  if (x >= xs.back()) return ys.back();
  const auto next = std::upper_bound(xs.begin(), xs.end(), x);
  const auto i = static_cast<size_t>(next - xs.begin()) - 1;
  const double slope = (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]);
  return ys[i] + slope * (x - xs[i]);
}

Summary summarize(std::vector<double> values, double epsilon) {
  // NaN is last, as in NumPy.
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
  const double step = std::max(static_cast<double>(values.size()) * epsilon, 1.0);
  Summary summary;
  for (auto i = static_cast<size_t>(step - 1); i < values.size(); i += static_cast<size_t>(step)) {
    summary.values.push_back(values[i]);
    summary.weights.push_back(step);
  }
  return summary;
}

/// At most about 1 / epsilon values, interpolated at equal steps of the cumulative weights.
Summary compress(const Summary& summary, double epsilon) {
  if (static_cast<double>(summary.values.size()) * epsilon < 1) return summary;
  std::vector<double> cumulative(summary.weights.size());
  std::partial_sum(summary.weights.begin(), summary.weights.end(), cumulative.begin());
  std::vector<double> shares = cumulative;
  for (double& share : shares) share /= cumulative.back();
  const auto count = static_cast<size_t>(std::ceil(1.0 / epsilon));
  Summary result;
  double previous = 0;
  for (size_t i = 0; i < count; ++i) {
    const double share = epsilon + static_cast<double>(i) * epsilon;
    const double weight = interpolate(share, shares, cumulative);
    result.values.push_back(static_cast<float>(interpolate(share, shares, summary.values)));
    result.weights.push_back(weight - previous);
    previous = weight;
  }
  return result;
}

}  // namespace

Discretization::Discretization(const DiscretizationOptions& options)
    : LayerOf(options),
      boundaries_(std::make_shared<std::optional<std::vector<double>>>(options.bin_boundaries)) {
  check_options(options_);
  set_autocast(false);
}

void Discretization::adapt(const Tensor& data) {
  if (!options_.num_bins) {
    throw ValueError(
        "Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use "
        "`num_bins` instead.");
  }
  const std::vector<double> values = ops::cast(data, DType::float32).to_doubles();
  if (values.empty()) throw ValueError("Discretization.adapt: the data is empty.");
  const Summary summary = compress(summarize(values, options_.epsilon), options_.epsilon);
  std::vector<double> bounds =
      compress(summary, 1.0 / static_cast<double>(*options_.num_bins)).values;
  bounds.pop_back();
  *boundaries_ = bounds;
}

const std::vector<double>& Discretization::bin_boundaries() const {
  if (!*boundaries_) {
    throw ValueError(
        "You need to either pass the `bin_boundaries` argument at construction time or call "
        "`adapt(dataset)` before you can start using the `Discretization` layer.");
  }
  return **boundaries_;
}

Tensor Discretization::call(const Tensor& input, const CallOptions&) {
  const std::vector<double>& boundaries = bin_boundaries();
  const Tensor bounds = Tensor::of(std::vector<float>(boundaries.begin(), boundaries.end()));
  const Tensor x = ops::expand_dims(ops::cast(input, DType::float32), -1);
  // Not `greater_equal`: NaN belongs to the last bin, as in Keras.
  const Tensor above = ops::logical_not(ops::less(x, bounds));
  const Tensor index = ops::sum(ops::cast(above, DType::int32), {-1});
  const DType dtype = options_.output_mode == "int" ? DType::int32 : compute_dtype();
  return encode_categories(index, options_.output_mode, std::ssize(boundaries) + 1, dtype);
}

Json Discretization::get_config() const {
  Json config = LayerOf::get_config();
  if (*boundaries_) config["bin_boundaries"] = **boundaries_;
  config.erase("trainable");  // not an argument of Keras's class
  config["dtype"] = dtype_name(variable_dtype());
  return config;
}

Discretization Discretization::from_config(const Json& config) {
  auto options = options_from<DiscretizationOptions>(config, "Discretization");
  std::optional<std::vector<double>> learned;
  if (options.num_bins && options.bin_boundaries) {
    learned = *std::exchange(options.bin_boundaries, {});
  }
  Discretization layer(options);
  if (learned) *layer.boundaries_ = std::move(learned);
  return layer;
}

LayerClasses discretization_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<Discretization>(
      [](const Json& config) -> LayerPtr { return Discretization::from_config(config).share(); })};
  return kClasses;
}

}  // namespace antler
