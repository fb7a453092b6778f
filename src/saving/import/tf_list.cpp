#include "saving/import/tf_list.h"

#include "antler/base/format.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

constexpr int64_t kMaxLength = 1 << 20;

/// An element that was never set is zeros of the element shape.
Tensor item_or_zeros(const TfCall& call, const Tensor& item, size_t shape_input) {
  if (item.defined()) return item;
  const std::vector<int64_t> sizes = call.ints(shape_input);
  for (const int64_t size : sizes) {
    if (size < 0) call.unsupported("it reads an element that was never set");
  }
  return ops::zeros(Shape(sizes), call.dtype("element_dtype", DType::float32));
}

}  // namespace

bool is_tf_list_op(std::string_view op) {
  return op.starts_with("TensorList") || op == "EmptyTensorList";
}

TfValues run_tf_list_op(const io::TfNode& node, const TfValues& inputs) {
  Tensors tensors;
  for (const TfValue& input : inputs) tensors.push_back(input.tensor);
  const TfCall call(node, tensors);
  const std::string_view op = node.op;
  if (op == "EmptyTensorList") return {TfValue::of_list({})};
  if (op == "TensorListReserve") {
    const int64_t length = call.integer(1);
    if (length < 0 || length > kMaxLength) call.unsupported("its length is out of range");
    return {TfValue::of_list(Tensors(static_cast<size_t>(length)))};
  }
  if (op == "TensorListFromTensor") return {TfValue::of_list(ops::unstack(call.in(0), 0))};
  if (inputs.empty() || !inputs[0].list) call.unsupported("its first input is not a list");
  const Tensors& list = *inputs[0].list;
  if (op == "TensorListLength") {
    return {TfValue::of(Tensor::full(DType::int32, {}, static_cast<double>(list.size())))};
  }
  if (op == "TensorListStack") {
    Tensors items;
    for (const Tensor& item : list) items.push_back(item_or_zeros(call, item, 1));
    if (items.empty()) call.unsupported("it is empty");
    return {TfValue::of(ops::stack(items, 0))};
  }
  if (op == "TensorListPushBack") {
    Tensors longer = list;
    if (longer.size() >= kMaxLength) call.unsupported("its list is too long");
    longer.push_back(call.in(1));
    return {TfValue::of_list(std::move(longer))};
  }
  if (op != "TensorListGetItem" && op != "TensorListSetItem") {
    call.unsupported("Antler does not have this operation");
  }
  const int64_t at = call.integer(1);
  if (at < 0 || at >= static_cast<int64_t>(list.size())) {
    call.unsupported(format("its index {} is out of range for {} elements", at, list.size()));
  }
  const auto place = static_cast<size_t>(at);
  if (op == "TensorListGetItem") return {TfValue::of(item_or_zeros(call, list[place], 2))};
  Tensors changed = list;
  changed[place] = call.in(2);
  return {TfValue::of_list(std::move(changed))};
}

}  // namespace antler::saving
