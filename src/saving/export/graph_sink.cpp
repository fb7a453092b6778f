#include "saving/export/graph_sink.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/op_list.h"

namespace antler::saving {

std::vector<int64_t> concatenated(std::initializer_list<std::vector<int64_t>> lists) {
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

SinkValue GraphSink::variable(const Variable& variable) {
  const auto known = variables_.find(variable.id());
  if (known != variables_.end()) return known->second;
  return variables_[variable.id()] = weight(variable.path(), variable.stored());
}

void GraphSink::assign(const Variable& /*variable*/, const SinkValue& /*value*/) {}

SinkValue GraphSink::as_string(const SinkValue& /*x*/) {
  throw NotImplementedError("Strings cannot be exported in this format.");
}

void GraphSink::note_input(const SinkValue& x, const Dims& dims) {
  if (!first_input_ && !dims.empty() && dims[0].per_batch == 1) first_input_ = x;
}

SinkValue GraphSink::ints(const Ints& values) {
  const auto known = int_lists_.find(values);
  if (known != int_lists_.end()) return known->second;
  return int_lists_[values] = constant(Tensor::of<int64_t>(values));
}

SinkValue GraphSink::scalar(double value, DType dtype) {
  return constant(Tensor::full(dtype, {}, value));
}

SinkValue GraphSink::shape_vector(const Dims& dims) {
  if (std::none_of(dims.begin(), dims.end(), [](const Dim& d) { return d.is_dynamic(); })) {
    Ints sizes;
    for (const Dim& d : dims) sizes.push_back(d.size);
    return ints(sizes);
  }
  if (!batch_) {
    if (!first_input_)
      throw InternalError("A value depends on the batch size, but no input has a batch dimension.");
    batch_ = slice(shape_of(*first_input_), {0}, {1}, {1});
  }
  std::vector<SinkValue> parts;
  for (const Dim& d : dims) {
    if (!d.is_dynamic()) {
      parts.push_back(ints({d.size}));
    } else {
      parts.push_back(d.per_batch == 1 ? *batch_ : binary("mul", *batch_, ints({d.per_batch})));
    }
  }
  return parts.size() == 1 ? parts[0] : concatenate(parts, 0);
}

SinkValue GraphSink::batch_size(DType dtype) {
  return cast(reshape(shape_vector({{0, 1}}), {}), dtype);
}

SinkValue GraphSink::pad_space(const SinkValue& x, const WindowSpec& spec, double value) {
  const auto is_zero = [](const Ints& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t s) { return s == 0; });
  };
  if (is_zero(spec.pad_low) && is_zero(spec.pad_high)) return x;
  return pad(x, concatenated({{0}, spec.pad_low, {0}}), concatenated({{0}, spec.pad_high, {0}}),
             scalar(value, x.dtype));
}

SinkValue GraphSink::crop_space(const SinkValue& x, const WindowSpec& spec, const Dims& dims) {
  const Ints starts = concatenated({{0}, spec.pad_low, {0}});
  std::vector<std::optional<int64_t>> limits(dims.size());
  for (size_t i = 1; i + 1 < dims.size(); ++i) limits[i] = starts[i] + dims[i].size;
  return slice(x, starts, limits, Ints(dims.size(), 1));
}

SinkValue GraphSink::sum_of_mean(const SinkValue& mean, const WindowSpec& spec) {
  double size = 1;
  for (const int64_t n : spec.window) size *= static_cast<double>(n);
  return binary("mul", mean, scalar(size, mean.dtype));
}

SinkValue GraphSink::wide_indices(const SinkValue& indices) {
  const bool wide = indices.dtype == DType::int64 || indices.dtype == DType::int32;
  return wide ? indices : cast(indices, DType::int64);
}

const char* name_in(const char* OpNames::*program_name, std::string_view op, const char* program) {
  const OpNames* names = find_op_names(op);
  if (names != nullptr && names->*program_name != nullptr) return names->*program_name;
  throw NotImplementedError("{} has no operator for `{}`.", program, op);
}

DType result_dtype(std::string_view op, std::initializer_list<DType> operands) {
  std::vector<TensorSpec> specs;
  for (const DType dtype : operands) specs.push_back({dtype, {}});
  return ops::find_op(op)->infer({specs, {}, {}})[0].dtype;
}

}  // namespace antler::saving
