// Cropping1D/2D/3D, ZeroPadding1D/2D/3D.
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"

namespace antler {

static void read_field(const Json& in, EdgeSizes& value) {
  const auto number = [](const Json& json) {
    if (!json.is_number_integer()) throw TypeError("expected integers or pairs of integers");
    return json.get<int64_t>();
  };
  if (!in.is_array()) {
    value = EdgeSizes(number(in));
    return;
  }
  if (in.empty())
    throw ValueError("expected integers or pairs of integers, received an empty list");
  std::vector<EdgeSizes::Edge> edges;
  for (const Json& item : in) {
    if (item.is_array() && item.size() == 2) {
      edges.emplace_back(number(item[0]), number(item[1]));
    } else {
      edges.emplace_back(number(item));
    }
  }
  value = EdgeSizes(std::move(edges));
}

/// Edges in Keras's form: a pair for one dimension, else a list of pairs.
static void write_edges(Json& out, const std::vector<EdgeSizes::Edge>& edges) {
  out = Json::array();
  for (const EdgeSizes::Edge& edge : edges) out.push_back({edge.low, edge.high});
  if (edges.size() == 1) out = Json(out[0]);
}

template <class V>
void fields(V& v, CroppingOptions& o) {
  v("cropping", o.cropping);
  v("data_format", o.data_format);
}

template <class V>
void fields(V& v, ZeroPaddingOptions& o) {
  v("padding", o.padding);
  v("data_format", o.data_format);
}

std::vector<EdgeSizes::Edge> EdgeSizes::expand(int rank, int64_t otherwise,
                                               const char* what) const {
  std::vector<Edge> edges = edges_;
  if (edges.empty()) edges.emplace_back(otherwise);
  if (edges.size() == 2 && rank == 1 && !edges[0].pair && !edges[1].pair) {
    edges = {Edge(edges[0].low, edges[1].low)};
  }
  if (edges.size() == 1 && rank == 1 && !edges[0].pair && given() && !single_) {
    throw ValueError("The `{}` argument must be a tuple of 2 integers. Received: ({},)", what,
                     edges[0].low);
  }
  if (edges_.empty() || single_) edges.resize(static_cast<size_t>(rank), edges[0]);
  if (static_cast<int>(edges.size()) != rank) {
    throw ValueError("`{}` should have {} elements, one for each spatial dimension. Received: {}.",
                     what, rank, edges.size());
  }
  for (const Edge& edge : edges) {
    if (edge.low >= 0 && edge.high >= 0) continue;
    throw ValueError("`{}` cannot be negative. Received: ({}, {}).", what, edge.low, edge.high);
  }
  return edges;
}

BaseCropping::BaseCropping(int rank, const char* class_name, const CroppingOptions& options)
    : Layer(class_name, base_options(options)),
      rank_(rank),
      options_(options),
      edges_(options.cropping.expand(rank, rank == 2 ? 0 : 1, "cropping")) {
  is_channels_first(options_.data_format, class_name);
  if (rank == 1) options_.data_format = "channels_last";
  set_input_spec({.ndim = rank + 2});
}

Tensor BaseCropping::call(const Tensor& input, const CallOptions&) {
  const int first = is_channels_first(options_.data_format, class_name()) ? 2 : 1;
  std::vector<int64_t> starts(static_cast<size_t>(input.rank()), 0);
  std::vector<int64_t> limits = input.shape().dims();
  for (size_t i = 0; i < edges_.size(); ++i) {
    const size_t axis = static_cast<size_t>(first) + i;
    starts[axis] += edges_[i].low;
    limits[axis] -= edges_[i].high;
    if (starts[axis] >= limits[axis]) {
      throw ValueError(
          "Values in `cropping` argument should be smaller than the corresponding spatial "
          "dimension of the input. Received: inputs.shape={}, cropping=({}, {}) at layer \"{}\"",
          input.shape(), edges_[i].low, edges_[i].high, name());
    }
  }
  return ops::strided_slice(input, starts, limits);
}

Json BaseCropping::get_config() const {
  Json config = Layer::get_config();
  write_edges(config["cropping"], edges_);
  if (rank_ > 1) config["data_format"] = options_.data_format;
  return config;
}

BaseZeroPadding::BaseZeroPadding(int rank, const char* class_name,
                                 const ZeroPaddingOptions& options)
    : Layer(class_name, base_options(options)),
      options_(options),
      edges_(options.padding.expand(rank, 1, "padding")) {
  is_channels_first(options_.data_format, class_name);
  set_input_spec({.ndim = rank + 2});
}

Tensor BaseZeroPadding::call(const Tensor& input, const CallOptions&) {
  const int first = is_channels_first(options_.data_format, class_name()) ? 2 : 1;
  std::vector<int64_t> low(static_cast<size_t>(input.rank()), 0);
  std::vector<int64_t> high = low;
  for (size_t i = 0; i < edges_.size(); ++i) {
    low[static_cast<size_t>(first) + i] = edges_[i].low;
    high[static_cast<size_t>(first) + i] = edges_[i].high;
  }
  return ops::pad(input, low, high);
}

Json BaseZeroPadding::get_config() const {
  Json config = Layer::get_config();
  write_edges(config["padding"], edges_);
  config["data_format"] = options_.data_format;
  return config;
}

Cropping1D::Cropping1D(int64_t cropping, CroppingOptions options)
    : Cropping1D(
          by_position<&CroppingOptions::cropping>("Cropping1D", std::move(options), cropping)) {}
Cropping1D::Cropping1D(const EdgesOf1& cropping, CroppingOptions options)
    : Cropping1D(
          by_position<&CroppingOptions::cropping>("Cropping1D", std::move(options), cropping)) {}
Cropping1D::Cropping1D(const CroppingOptions& options) : LayerBase(1, "Cropping1D", options) {}
Cropping2D::Cropping2D(int64_t cropping, CroppingOptions options)
    : Cropping2D(
          by_position<&CroppingOptions::cropping>("Cropping2D", std::move(options), cropping)) {}
Cropping2D::Cropping2D(const EdgesOf2& cropping, CroppingOptions options)
    : Cropping2D(
          by_position<&CroppingOptions::cropping>("Cropping2D", std::move(options), cropping)) {}
Cropping2D::Cropping2D(const CroppingOptions& options) : LayerBase(2, "Cropping2D", options) {}
Cropping3D::Cropping3D(int64_t cropping, CroppingOptions options)
    : Cropping3D(
          by_position<&CroppingOptions::cropping>("Cropping3D", std::move(options), cropping)) {}
Cropping3D::Cropping3D(const EdgesOf3& cropping, CroppingOptions options)
    : Cropping3D(
          by_position<&CroppingOptions::cropping>("Cropping3D", std::move(options), cropping)) {}
Cropping3D::Cropping3D(const CroppingOptions& options) : LayerBase(3, "Cropping3D", options) {}

ZeroPadding1D::ZeroPadding1D(int64_t padding, ZeroPaddingOptions options)
    : ZeroPadding1D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding1D", std::move(options),
                                                              padding)) {}
ZeroPadding1D::ZeroPadding1D(const EdgesOf1& padding, ZeroPaddingOptions options)
    : ZeroPadding1D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding1D", std::move(options),
                                                              padding)) {}
ZeroPadding1D::ZeroPadding1D(const ZeroPaddingOptions& options)
    : LayerBase(1, "ZeroPadding1D", options) {}
ZeroPadding2D::ZeroPadding2D(int64_t padding, ZeroPaddingOptions options)
    : ZeroPadding2D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding2D", std::move(options),
                                                              padding)) {}
ZeroPadding2D::ZeroPadding2D(const EdgesOf2& padding, ZeroPaddingOptions options)
    : ZeroPadding2D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding2D", std::move(options),
                                                              padding)) {}
ZeroPadding2D::ZeroPadding2D(const ZeroPaddingOptions& options)
    : LayerBase(2, "ZeroPadding2D", options) {}
ZeroPadding3D::ZeroPadding3D(int64_t padding, ZeroPaddingOptions options)
    : ZeroPadding3D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding3D", std::move(options),
                                                              padding)) {}
ZeroPadding3D::ZeroPadding3D(const EdgesOf3& padding, ZeroPaddingOptions options)
    : ZeroPadding3D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding3D", std::move(options),
                                                              padding)) {}
ZeroPadding3D::ZeroPadding3D(const ZeroPaddingOptions& options)
    : LayerBase(3, "ZeroPadding3D", options) {}

LayerClasses edges_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<Cropping1D, CroppingOptions>(),
      layer_class<Cropping2D, CroppingOptions>(),
      layer_class<Cropping3D, CroppingOptions>(),
      layer_class<ZeroPadding1D, ZeroPaddingOptions>(),
      layer_class<ZeroPadding2D, ZeroPaddingOptions>(),
      layer_class<ZeroPadding3D, ZeroPaddingOptions>(),
  };
  return kClasses;
}

}  // namespace antler
