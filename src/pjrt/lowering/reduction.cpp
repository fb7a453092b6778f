#include <string_view>

#include "pjrt/lowering/families.h"
#include "pjrt/lowering/identity.h"

namespace antler::pjrt {
namespace {

struct Reduction {
  std::string_view op;
  const char* combine;
  Identity identity;
};

constexpr Reduction kReductions[] = {
    {"reduce_sum", "add", Identity::zero},       {"reduce_prod", "multiply", Identity::one},
    {"reduce_max", "maximum", Identity::lowest}, {"reduce_min", "minimum", Identity::highest},
    {"reduce_any", "or", Identity::zero},        {"reduce_all", "and", Identity::one},
};

Values lower_reduction(const LowerArgs& args) {
  const Ints& axes = args.attrs().ints("axes");
  if (axes.empty()) return {args[0]};
  const Reduction* reduction = kReductions;
  while (reduction->op != args.node.op->name) ++reduction;
  const std::string& element = args[0].type.element;
  // Sums and products of half-precision values accumulate in float32. Extrema are exact in any
  // type.
  const bool half = is_half_element(element);
  const bool accumulates =
      reduction->identity == Identity::zero || reduction->identity == Identity::one;
  const Value x = half && accumulates ? args.emit.convert(args[0], "f32") : args[0];
  const Value start = identity_value(args.emit, reduction->identity, {x.type.element, {}});
  return {args.emit.convert(args.emit.reduce(reduction->combine, x, start, axes), element)};
}

/// Selects the better of two elements with their indices, or the earlier one if they are equal. NaN
/// is better than any number. The order of the pairs does not matter, because reductions may use
/// any order.
Values better_of(Emitter& emit, const char* direction, const Values& pairs) {
  const Value& x = pairs[0];
  const Value& y = pairs[2];
  Value better = emit.compare(direction, x, y);
  Value equal = emit.compare("EQ", x, y);
  if (is_float_element(x.type.element)) {
    const Value x_nan = emit.compare("NE", x, x);
    const Value y_nan = emit.compare("NE", y, y);
    better = emit.binary("or", better, emit.binary("and", x_nan, emit.unary("not", y_nan)));
    equal = emit.binary("or", equal, emit.binary("and", x_nan, y_nan));
  }
  const Value earlier = emit.binary("and", equal, emit.compare("LT", pairs[1], pairs[3]));
  const Value take = emit.binary("or", better, earlier);
  return {emit.select(take, x, y), emit.select(take, pairs[1], pairs[3])};
}

Values lower_arg_extremum(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const bool largest = std::string_view(args.node.op->name) == "argmax";
  const Type& type = args[0].type;
  const int64_t axis = args.attrs().integer("axis");
  const Type element{type.element, {}};
  const Type index{"i32", {}};
  // If all elements equal the start, the first of them wins with index 0 as well.
  const Value operands[] = {args[0], emit.iota(axis, {"i32", type.dims}),
                            emit.extreme(!largest, element), emit.fill_int(0, index)};
  const Type results[] = {{type.element, args.result().dims}, args.result()};
  const Emitter::Region region{{element, index, element, index}, [&](const Values& pairs) {
                                 return better_of(emit, largest ? "GT" : "LT", pairs);
                               }};
  const Ints axes = {axis};
  return {emit.op_with_regions("reduce", operands, results, std::span(&region, 1),
                               "dimensions = " + i64_array(axes))[1]};
}

}  // namespace

Rules reduction_rules() {
  static constexpr Rule kRules[] = {
      {"reduce_sum", lower_reduction}, {"reduce_prod", lower_reduction},
      {"reduce_max", lower_reduction}, {"reduce_min", lower_reduction},
      {"reduce_any", lower_reduction}, {"reduce_all", lower_reduction},
      {"argmax", lower_arg_extremum},  {"argmin", lower_arg_extremum},
  };
  return kRules;
}

}  // namespace antler::pjrt
