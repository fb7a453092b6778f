#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_select(const InferArgs& args) {
  require_operands("select", args, 3);
  require_kind("select", args.inputs[0].dtype, kBool);
  const TensorSpec spec = common_spec("select", args.inputs.subspan(1));
  const TensorSpec all[] = {spec, {spec.dtype, args.inputs[0].shape}};
  return {common_spec("select", all)};
}

/// T is an unsigned integer: only the size of an element matters.
template <class T>
void select_loop(const ReferenceArgs& args) {
  const bool* condition = args.inputs[0].data<bool>();
  const T* x = static_cast<const T*>(args.inputs[1].data());
  const T* y = static_cast<const T*>(args.inputs[2].data());
  T* out = static_cast<T*>(args.outputs[0].mutable_data());
  const int64_t n = args.outputs[0].size();
  for (int64_t i = 0; i < n; ++i) out[i] = condition[i] ? x[i] : y[i];
}

constinit const OpDef kSelect = {
    .name = "select",
    .op_class = OpClass::elementwise,
    .infer = infer_select,
    .vjp = [](const VjpArgs& v) -> Tensors {
      return {{}, where(v.inputs[0], v.grads[0], 0), where(v.inputs[0], 0, v.grads[0])};
    },
    .reference =
        [](const ReferenceArgs& args) {
          switch (dtype_size(args.inputs[1].dtype())) {
            case 1:
              return select_loop<uint8_t>(args);
            case 2:
              return select_loop<uint16_t>(args);
            case 4:
              return select_loop<uint32_t>(args);
            default:
              return select_loop<uint64_t>(args);
          }
        },
};

}  // namespace

OpSpan select_ops() {
  static constexpr const OpDef* kOps[] = {&kSelect};
  return kOps;
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  for (const Tensor* t : {&condition, &x, &y}) require_defined("where", *t);
  const DType dtype = result_dtype({x, y});
  const Shape shape =
      broadcast_shape("where", condition.shape(), broadcast_shape("where", x.shape(), y.shape()));
  return ir::emit_one(kSelect, {expand_operand(to_dtype(condition, DType::boolean), shape),
                                expand_operand(to_dtype(x, dtype), shape),
                                expand_operand(to_dtype(y, dtype), shape)});
}

}  // namespace antler::ops
