#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/movement_ops.h"
#include "ops/recorded_call.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_broadcast(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const Shape shape(args.attrs.ints("shape"));
  const ir::Ints& dims = args.attrs.ints("dims");
  bool fits = static_cast<int>(dims.size()) == x.shape.rank();
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    fits = dims[i] > (i == 0 ? -1 : dims[i - 1]) && dims[i] < shape.rank();
    if (!fits) break;
    const int64_t in = x.shape.dims()[i];
    fits = in == 1 || in == shape[static_cast<int>(dims[i])];
  }
  if (!fits) {
    throw ValueError(
        "ops::broadcast: cannot broadcast an array of shape {} to shape {} with attributes {}; "
        "expected each dimension to be 1 or equal to its target.",
        x.shape, shape, args.attrs.str());
  }
  return {{x.dtype, shape}};
}

void reference_broadcast(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const ir::Ints& dims = args.attrs.ints("dims");
  const std::vector<int64_t> in_strides = x.shape().strides();
  std::vector<int64_t> strides(static_cast<size_t>(args.outputs[0].rank()), 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (x.shape().dims()[i] != 1) strides[static_cast<size_t>(dims[i])] = in_strides[i];
  }
  read_strided(x, args.outputs[0], 0, strides);
}

Tensors vjp_broadcast(const ir::VjpArgs& args) {
  const Shape& in = args.inputs[0].shape();
  const Shape& out = args.outputs[0].shape();
  const ir::Ints& dims = args.attrs.ints("dims");
  std::vector<char> summed(static_cast<size_t>(out.rank()), 1);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int target = static_cast<int>(dims[i]);
    summed[static_cast<size_t>(target)] = in.dims()[i] != out[target];
  }
  Axes axes;
  for (size_t i = 0; i < summed.size(); ++i) {
    if (summed[i] != 0) axes.push_back(static_cast<int64_t>(i));
  }
  return {reshape(axes.empty() ? args.grads[0] : sum(args.grads[0], axes), in)};
}

}  // namespace

const ir::OpDef kBroadcast = {.name = "broadcast",
                              .op_class = ir::OpClass::view,
                              .infer = infer_broadcast,
                              .vjp = vjp_broadcast,
                              .reference = reference_broadcast};

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  require_defined("broadcast_to", x);
  const int lead = shape.rank() - x.rank();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < x.rank(); ++i) {
    fits = x.shape()[i] == 1 || x.shape()[i] == shape[lead + i];
  }
  if (!fits) {
    throw ValueError(
        "ops::broadcast_to: cannot broadcast an array of shape {} to shape {}; expected equal "
        "sizes or 1 in every dimension, counted from the last.",
        x.shape(), shape);
  }
  return expand_to(x, shape);
}

Tensor tile(const Tensor& x, std::vector<int64_t> repeats) {
  require_defined("tile", x);
  if (has_unknown_size(x)) return record_call("Tile", x, {{"repeats", repeats}})[0];
  Shape in = x.shape();
  // As in NumPy, the shorter of the two lists is padded with leading ones.
  while (static_cast<int>(repeats.size()) < in.rank()) repeats.insert(repeats.begin(), 1);
  while (in.rank() < static_cast<int>(repeats.size())) {
    std::vector<int64_t> dims = in.dims();
    dims.insert(dims.begin(), 1);
    in = Shape(std::move(dims));
  }
  Shape split;
  Shape spread;
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t count = repeats[static_cast<size_t>(i)];
    if (count < 0) {
      throw ValueError("ops::tile: repeats must not be negative. Received: {}", Shape(repeats));
    }
    split.push_back(1);
    split.push_back(in[i]);
    spread.push_back(count);
    spread.push_back(in[i]);
    out.push_back(count * in[i]);
  }
  return reshape(broadcast_to(reshape(x, split), spread), out);
}

Tensor repeat(const Tensor& x, int64_t count, int64_t axis) {
  require_defined("repeat", x);
  if (has_unknown_size(x)) return record_call("Repeat", x, {{"repeats", count}, {"axis", axis}})[0];
  const int a = normalize_axis_of("repeat", axis, x.rank());
  if (count < 0) {
    throw ValueError("ops::repeat: count must not be negative. Received: {}", count);
  }
  std::vector<int64_t> spread = x.shape().dims();
  spread.insert(spread.begin() + a + 1, count);
  std::vector<int64_t> out = x.shape().dims();
  out[static_cast<size_t>(a)] *= count;
  return reshape(broadcast_to(expand_dims(x, a + 1), Shape(std::move(spread))),
                 Shape(std::move(out)));
}

}  // namespace antler::ops
