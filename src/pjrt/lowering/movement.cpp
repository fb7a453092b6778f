#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

Values lower_iota(const LowerArgs& args) {
  const Type type = args.result();
  const int64_t axis = args.attrs().integer("axis");
  // Every backend counts in float32; few do in half precision.
  const bool half = is_half_element(type.element);
  const Value count = args.emit.iota(axis, {half ? "f32" : type.element, type.dims});
  return {args.emit.convert(count, type.element)};
}

Values lower_broadcast(const LowerArgs& args) {
  return {args.emit.broadcast(args[0], args.attrs().ints("dims"), args.attrs().ints("shape"))};
}

Values lower_reshape(const LowerArgs& args) {
  return {args.emit.reshape(args[0], args.attrs().ints("shape"))};
}

Values lower_transpose(const LowerArgs& args) {
  return {args.emit.transpose(args[0], args.attrs().ints("perm"))};
}

Values lower_reverse(const LowerArgs& args) {
  return {args.emit.op("reverse", {args[0]}, args.result(),
                       "dimensions = " + i64_array(args.attrs().ints("axes")))};
}

Values lower_slice(const LowerArgs& args) {
  const ir::Attrs& attrs = args.attrs();
  return {
      args.emit.slice(args[0], attrs.ints("starts"), attrs.ints("limits"), attrs.ints("strides"))};
}

Values lower_pad(const LowerArgs& args) {
  const ir::Attrs& attrs = args.attrs();
  return {args.emit.pad(args[0], args[1], attrs.ints("low"), attrs.ints("high"),
                        attrs.ints("interior"))};
}

Values lower_concatenate(const LowerArgs& args) {
  return {args.emit.concatenate(args.inputs, args.attrs().integer("axis"))};
}

/// Passes on the first operands.
Values lower_barrier(const LowerArgs& args) {
  std::vector<Type> types;
  for (const Value& x : args.inputs) types.push_back(x.type);
  Values results = args.emit.op("optimization_barrier", args.inputs, types);
  results.resize(args.outputs.size());
  return results;
}

}  // namespace

Rules movement_rules() {
  static constexpr Rule kRules[] = {
      {"iota", lower_iota},
      {"broadcast", lower_broadcast},
      {"reshape", lower_reshape},
      {"transpose", lower_transpose},
      {"reverse", lower_reverse},
      {"slice", lower_slice},
      {"pad", lower_pad},
      {"concatenate", lower_concatenate},
      {"optimization_barrier", lower_barrier},
  };
  return kRules;
}

}  // namespace antler::pjrt
