#include <string_view>

#include "pjrt/lowering/families.h"
#include "pjrt/lowering/identity.h"

namespace antler::pjrt {
namespace {

/// Whether x comes strictly before y. NaN is last in both directions.
Value comes_before(Emitter& emit, bool descending, const Value& x, const Value& y) {
  Value before = emit.compare(descending ? "GT" : "LT", x, y);
  if (!is_float_element(x.type.element)) return before;
  const Value number_before_nan =
      emit.binary("and", emit.compare("EQ", x, x), emit.compare("NE", y, y));
  return emit.binary("or", before, number_before_nan);
}

/// Sorts the first operand along an axis, and the others with it. Stable.
Values sorted(Emitter& emit, const Values& operands, int64_t axis, bool descending) {
  std::vector<Type> types;
  std::vector<Type> elements;
  for (const Value& x : operands) {
    types.push_back(x.type);
    elements.insert(elements.end(), 2, Type{x.type.element, {}});
  }
  const Emitter::Region region{elements, [&](const Values& v) {
                                 return Values{comes_before(emit, descending, v[0], v[1])};
                               }};
  return emit.op_with_regions("sort", operands, types, std::span(&region, 1),
                              "dimension = " + i64_scalar(axis) + ", is_stable = true");
}

Values with_indices(Emitter& emit, const Value& x, int64_t axis) {
  return {x, emit.iota(axis, {"i32", x.type.dims})};
}

Values lower_sort(const LowerArgs& args) {
  const ir::Attrs& attrs = args.attrs();
  return sorted(args.emit, {args[0]}, attrs.integer("axis"), attrs.flag("descending"));
}

Values lower_argsort(const LowerArgs& args) {
  const int64_t axis = args.attrs().integer("axis");
  const Values operands = with_indices(args.emit, args[0], axis);
  return {sorted(args.emit, operands, axis, args.attrs().flag("descending"))[1]};
}

Values lower_top_k(const LowerArgs& args) {
  const int64_t axis = args[0].type.rank() - 1;
  const Ints limit = args.result().dims;
  const Ints start(limit.size(), 0);
  const Ints stride(limit.size(), 1);
  Values results;
  for (const Value& all : sorted(args.emit, with_indices(args.emit, args[0], axis), axis, true))
    results.push_back(args.emit.slice(all, start, limit, stride));
  return results;
}

struct Cumulation {
  std::string_view op;
  const char* combine;
  Identity identity;
};

constexpr Cumulation kCumulations[] = {
    {"cumsum", "add", Identity::zero},
    {"cumprod", "multiply", Identity::one},
    {"cummax", "maximum", Identity::lowest},
    {"cummin", "minimum", Identity::highest},
};

/// Moves elements along an axis by `distance`, towards the end or, if `reverse` is set, towards the
/// start.
Value moved_along(Emitter& emit, const Value& x, const Value& fill, int64_t axis, int64_t distance,
                  bool reverse) {
  const auto rank = x.type.dims.size();
  Ints front(rank, 0);
  Ints back(rank, 0);
  const Ints interior(rank, 0);
  front[static_cast<size_t>(axis)] = reverse ? -distance : distance;
  back[static_cast<size_t>(axis)] = -front[static_cast<size_t>(axis)];
  return emit.pad(x, fill, front, back, interior);
}

/// In log2(n) steps: after the step of distance d, each element combines the 2 d elements up to it.
Values lower_cumulation(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Cumulation* cumulation = kCumulations;
  while (cumulation->op != args.node.op->name) ++cumulation;
  const ir::Attrs& attrs = args.attrs();
  const int64_t axis = attrs.integer("axis");
  const bool reverse = attrs.flag("reverse");
  const std::string& element = args[0].type.element;
  if (args[0].type.num_elements() == 0) return {args[0]};
  const bool half = is_half_element(element);
  Value x = half ? emit.convert(args[0], "f32") : args[0];
  const Value identity = identity_value(emit, cumulation->identity, {x.type.element, {}});
  if (attrs.flag("exclusive")) x = moved_along(emit, x, identity, axis, 1, reverse);
  const int64_t length = x.type.dims[static_cast<size_t>(axis)];
  for (int64_t distance = 1; distance < length; distance *= 2) {
    const Value before = moved_along(emit, x, identity, axis, distance, reverse);
    x = emit.binary(cumulation->combine, before, x);
  }
  return {emit.convert(x, element)};
}

}  // namespace

Rules sorting_rules() {
  static constexpr Rule kRules[] = {
      {"sort", lower_sort},         {"argsort", lower_argsort},    {"top_k", lower_top_k},
      {"cumsum", lower_cumulation}, {"cumprod", lower_cumulation}, {"cummax", lower_cumulation},
      {"cummin", lower_cumulation},
  };
  return kRules;
}

}  // namespace antler::pjrt
