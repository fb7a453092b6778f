#include <string>

#include "antler/base/format.h"
#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

/// All replicas are one group.
std::string replica_groups(const Emitter& emit) {
  Ints ids;
  for (int64_t r = 0; r < emit.replicas(); ++r) ids.push_back(r);
  return format("replica_groups = dense<[[{}]]> : tensor<1x{}xi64>", join_ints(ids), ids.size());
}

Emitter::Region adder(Emitter& emit, const std::string& element) {
  const Type scalar{element, {}};
  return {{scalar, scalar},
          [&emit](const Values& v) { return Values{emit.binary("add", v[0], v[1])}; }};
}

Value sum_replicas(Emitter& emit, const Value& x) {
  const Type types[] = {x.type};
  const Emitter::Region region = adder(emit, x.type.element);
  return emit.op_with_regions("all_reduce", std::span(&x, 1), types, std::span(&region, 1),
                              replica_groups(emit))[0];
}

/// Whether the op has nothing to do because there is only one replica.
bool is_alone(const LowerArgs& args) {
  const int64_t replicas = args.attrs().integer("replicas");
  if (replicas != 1 && replicas != args.emit.replicas())
    throw Unsupported{"several replicas on one device have no lowering to StableHLO"};
  return replicas == 1;
}

/// Sums of half-precision values accumulate in float32.
Values lower_all_reduce(const LowerArgs& args) {
  if (is_alone(args)) return {args[0]};
  Emitter& emit = args.emit;
  const std::string& op = args.attrs().string("op");
  const Value& x = args[0];
  if (op == "max" || op == "min") {  // gathers values, because all_reduce may drop NaN
    Ints dims = x.type.dims;
    dims.insert(dims.begin(), 1);
    const Value all = gather_replicas(emit, emit.reshape(x, dims), 0);
    const Ints axes = {0};
    const Value start = emit.extreme(op == "min", {x.type.element, {}});
    return {emit.reduce(op == "max" ? "maximum" : "minimum", all, start, axes)};
  }
  Value sum = sum_replicas(emit, is_half_element(x.type.element) ? emit.convert(x, "f32") : x);
  if (op == "mean") {
    const Value count = emit.fill(static_cast<double>(emit.replicas()), sum.type);
    sum = emit.binary("divide", sum, count);
  }
  return {emit.convert(sum, x.type.element)};
}

Values lower_all_gather(const LowerArgs& args) {
  if (is_alone(args)) return {args[0]};
  return {gather_replicas(args.emit, args[0], args.attrs().integer("axis"))};
}

Values lower_reduce_scatter(const LowerArgs& args) {
  if (is_alone(args)) return {args[0]};
  Emitter& emit = args.emit;
  const Value x = is_half_element(args[0].type.element) ? emit.convert(args[0], "f32") : args[0];
  const Type types[] = {{x.type.element, args.result().dims}};
  const Emitter::Region region = adder(emit, x.type.element);
  const Value part = emit.op_with_regions(
      "reduce_scatter", std::span(&x, 1), types, std::span(&region, 1),
      format("scatter_dimension = {}, {}", i64_scalar(args.attrs().integer("axis")),
             replica_groups(emit)))[0];
  return {emit.convert(part, args[0].type.element)};
}

constexpr Rule kCollectiveRules[] = {
    {"all_reduce", lower_all_reduce},
    {"all_gather", lower_all_gather},
    {"reduce_scatter", lower_reduce_scatter},
};

}  // namespace

/// Booleans are sent as bytes.
Value gather_replicas(Emitter& emit, const Value& x, int64_t axis) {
  const bool is_boolean = x.type.element == "i1";
  const Value part = is_boolean ? emit.convert(x, "ui8") : x;
  Type type = part.type;
  type.dims[static_cast<size_t>(axis)] *= emit.replicas();
  const Value all =
      emit.op("all_gather", {part}, type,
              format("all_gather_dim = {}, {}", i64_scalar(axis), replica_groups(emit)));
  return is_boolean ? emit.convert(all, "i1") : all;
}

Rules collective_rules() { return kCollectiveRules; }

}  // namespace antler::pjrt
