#include "antler/base/format.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/precision.h"

namespace antler::pjrt {
namespace {

Values lower_dot_general(const LowerArgs& args) {
  const ir::Attrs& attrs = args.attrs();
  const char* const precision = product_precision(args[0].type.element);
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
