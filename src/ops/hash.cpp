#include "antler/ops/hash.h"

#include <string>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "ops/families.h"

namespace antler::ops {
namespace {

/// TensorFlow's initial hash value for crossed features.
constexpr uint64_t kCrossSeed = 0xDECAFCAFFEULL;

std::vector<TensorSpec> infer_bins(const ir::InferArgs& args) {
  for (const TensorSpec& x : args.inputs) {
    if (x.dtype != DType::int64) {
      throw TypeError("ops::hash_bin: expected int64. Received: {}", dtype_name(x.dtype));
    }
    if (!(x.shape == args.inputs[0].shape)) {
      throw ValueError("ops::cross_hash_bin: shapes must be equal. Received: {} and {}",
                       args.inputs[0].shape, x.shape);
    }
  }
  if (args.attrs.integer("bins") <= 0) {
    throw ValueError("ops::hash_bin: `bins` must be positive. Received: bins={}",
                     args.attrs.integer("bins"));
  }
  return {{DType::int64, args.inputs[0].shape}};
}

void reference_hash(const ir::ReferenceArgs& args) {
  const auto bins = static_cast<uint64_t>(args.attrs.integer("bins"));
  const std::vector<int64_t>& key = args.attrs.ints("key");
  const auto* x = args.inputs[0].data<int64_t>();
  auto* out = args.outputs[0].mutable_data<int64_t>();
  for (int64_t i = 0; i < args.inputs[0].size(); ++i) {
    const std::string text = std::to_string(x[i]);
    const uint64_t hash =
        key.empty() ? fingerprint64(text)
                    : sip_hash(text, static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1]));
    out[i] = static_cast<int64_t>(hash % bins);
  }
}

void reference_cross(const ir::ReferenceArgs& args) {
  const auto bins = static_cast<uint64_t>(args.attrs.integer("bins"));
  auto* out = args.outputs[0].mutable_data<int64_t>();
  for (int64_t i = 0; i < args.outputs[0].size(); ++i) {
    uint64_t hash = kCrossSeed;
    for (const Tensor& x : args.inputs) {
      hash = join_fingerprints(hash, static_cast<uint64_t>(x.data<int64_t>()[i]));
    }
    out[i] = static_cast<int64_t>(hash % bins);
  }
}

constinit const ir::OpDef kHashBin = {
    .name = "hash_bin", .infer = infer_bins, .reference = reference_hash, .no_gradient = true};

constinit const ir::OpDef kCrossHashBin = {.name = "cross_hash_bin",
                                           .infer = infer_bins,
                                           .reference = reference_cross,
                                           .no_gradient = true};

Tensor to_int64(const Tensor& x) {
  return x.dtype() == DType::int64 && !x.is_weak() ? x : cast(x, DType::int64);
}

}  // namespace

OpSpan hash_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kHashBin, &kCrossHashBin};
  return kOps;
}

Tensor hash_bin(const Tensor& x, int64_t bins, const std::vector<int64_t>& key) {
  if (!key.empty() && key.size() != 2) {
    throw ValueError("ops::hash_bin: `key` must have two numbers. Received: {}", key.size());
  }
  return ir::emit_one(kHashBin, {to_int64(x)}, {{"bins", bins}, {"key", key}});
}

Tensor cross_hash_bin(const std::vector<Tensor>& xs, int64_t bins) {
  if (xs.empty()) throw ValueError("ops::cross_hash_bin: expected at least one tensor.");
  std::vector<Tensor> converted;
  for (const Tensor& x : xs) converted.push_back(to_int64(x));
  return ir::emit_one(kCrossHashBin, converted, {{"bins", bins}});
}

}  // namespace antler::ops
