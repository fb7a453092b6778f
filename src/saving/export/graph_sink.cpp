#include "saving/export/graph_sink.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/op_list.h"

namespace antler::saving {

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
      throw InternalError("A size of the batch in a graph whose inputs have none.");
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
