#include "saving/export/batch_graph.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::saving {
namespace {

bool same(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

/// Whether two arrays are equal up to rounding.
bool are_close(const Tensor& a, const Tensor& b) {
  const std::vector<double> left = a.to_doubles();
  const std::vector<double> right = b.to_doubles();
  for (size_t i = 0; i < left.size(); ++i) {
    if (std::abs(left[i] - right[i]) > 1e-6 * std::abs(left[i])) return false;
  }
  return true;
}

}  // namespace

BatchGraph::BatchGraph(const Trace& trace) : BatchGraph(trace(kFirst), trace(kSecond)) {}

BatchGraph::BatchGraph(const Trace& trace, int64_t batch) : first_(trace(batch)), second_(first_) {}

BatchGraph::BatchGraph(ir::Graph first, ir::Graph second)
    : first_(std::move(first)), second_(std::move(second)) {
  bool equal = first_.nodes.size() == second_.nodes.size();
  for (size_t i = 0; equal && i < first_.nodes.size(); ++i) {
    equal = first_.nodes[i].op == second_.nodes[i].op &&
            first_.nodes[i].inputs == second_.nodes[i].inputs;
  }
  if (!equal) {
    throw NotImplementedError(
        "The computation depends on the batch size. Export the model for one size: set "
        "`batch_size`.");
  }
}

Dims BatchGraph::dims_of(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                         const std::string& what) const {
  if (a.size() != b.size())
    throw NotImplementedError("The rank of {} depends on the batch size.", what);
  Dims dims;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t grows = (b[i] - a[i]) / (kSecond - kFirst);
    if (a[i] == b[i]) {
      dims.push_back({a[i], 0});
    } else if (a[i] == grows * kFirst) {
      dims.push_back({a[i], grows});
    } else {
      throw NotImplementedError(
          "A dimension of {} is not a multiple of the batch size. Export the model for one size: "
          "set `batch_size`.",
          what);
    }
  }
  return dims;
}

Dims BatchGraph::dims(ir::ValueId value) const {
  return dims_of(first_.spec(value).shape.dims(), second_.spec(value).shape.dims(), "a value");
}

Dims BatchGraph::attr(size_t node, const char* name) const {
  const ir::Node& n = first_.nodes[node];
  return dims_of(n.attrs.ints(name), second_.nodes[node].attrs.ints(name),
                 format("`{}`", n.op->name));
}

std::vector<int64_t> BatchGraph::fixed_attr(size_t node, const char* name) const {
  std::vector<int64_t> values;
  for (const Dim& dim : attr(node, name)) {
    if (dim.is_dynamic()) {
      throw NotImplementedError(
          "`{}` of `{}` depends on the batch size. Export the model for one size: set "
          "`batch_size`.",
          name, first_.nodes[node].op->name);
    }
    values.push_back(dim.size);
  }
  return values;
}

BatchConstant BatchGraph::constant(size_t node) const {
  const Dims sizes = dims(first_.nodes[node].outputs[0]);
  const auto fail = [] {
    throw NotImplementedError(
        "A constant of the model depends on the batch size. Export the model for one size: set "
        "`batch_size`.");
  };
  // The element that repeats along the batch.
  const auto repeated = [&](const ir::Graph& graph) {
    const Tensor value = graph.nodes[node].attrs.get<Tensor>("value");
    Tensor one = value;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d].is_dynamic())
        one = ops::take(one, Tensor::of<int32_t>({0}), static_cast<int64_t>(d));
    }
    if (!same(ops::broadcast_to(one, value.shape()), value)) fail();
    return one;
  };
  const Tensor first = repeated(first_);
  const Tensor second = repeated(second_);
  if (same(first, second)) return {first};
  const auto times = [](const Tensor& x, int64_t factor) {
    return x * Tensor::full(x.dtype(), {}, static_cast<double>(factor));
  };
  const bool is_number = first.dtype() != DType::boolean && first.dtype() != kStringDType;
  if (is_number && are_close(times(first, kSecond), times(second, kFirst)))
    return {second - first, 1};
  if (is_floating(first.dtype()) && are_close(times(first, kFirst), times(second, kSecond)))
    return {times(first, kFirst), -1};
  fail();
  return {};
}

BatchGraph BatchGraph::region(size_t node, size_t index) const {
  return {*first_.nodes[node].regions[index], *second_.nodes[node].regions[index]};
}

}  // namespace antler::saving
