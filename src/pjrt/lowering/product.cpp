#include "antler/base/format.h"
#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

/// Float32 products have the precision of float32: GPUs would take TF32, TPUs bfloat16, at DEFAULT.
Values lower_dot_general(const LowerArgs& args) {
  const ir::Attrs& attrs = args.attrs();
  const std::string& element = args[0].type.element;
  const std::string precision = format(
      "#stablehlo<precision {}>", element == "f32" || element == "f64" ? "HIGHEST" : "DEFAULT");
  return {
      args.emit.op("dot_general", args.inputs, args.result(),
                   format("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [{}], "
                          "rhs_batching_dimensions = [{}], lhs_contracting_dimensions = [{}], "
                          "rhs_contracting_dimensions = [{}]>, precision_config = [{}, {}]",
                          join_ints(attrs.ints("lhs_batch")), join_ints(attrs.ints("rhs_batch")),
                          join_ints(attrs.ints("lhs_contract")),
                          join_ints(attrs.ints("rhs_contract")), precision, precision))};
}

}  // namespace

Rules product_rules() {
  static constexpr Rule kRules[] = {{"dot_general", lower_dot_general}};
  return kRules;
}

}  // namespace antler::pjrt
