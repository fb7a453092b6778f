#include <algorithm>
#include <array>

#include "antler/base/error.h"
#include "antler/base/philox.h"
#include "antler/ir/emit.h"
#include "antler/ops/random.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

constinit const OpDef kRandomBits = {
    .name = "random_bits",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_operands("random_bits", args, 1);
      const TensorSpec& seed = args.inputs[0];
      if (seed.dtype != DType::uint32 || seed.shape != Shape{2}) {
        throw ValueError(
            "ops::random_bits: expected a seed of dtype uint32 and shape (2,). Received: {}.",
            spec_str(seed));
      }
      return {{DType::uint32, Shape(args.attrs.ints("shape"))}};
    },
    .reference =
        [](const ReferenceArgs& args) {
          const auto* seed = args.inputs[0].data<uint32_t>();
          auto* out = args.outputs[0].mutable_data<uint32_t>();
          const int64_t n = args.outputs[0].size();
          const std::array<uint32_t, 2> key = {seed[0], seed[1]};
          constexpr int64_t kWords = 64;  // generated at a time
          const auto fill = [=](int64_t begin, int64_t end) {
            std::array<uint32_t, kWords> words;
            for (int64_t i = begin * kWords; i < std::min(end * kWords, n); i += kWords) {
              philox_blocks(words, static_cast<uint64_t>(i / 4), {0, 0}, key);
              std::copy_n(words.begin(), std::min(kWords, n - i), out + i);
            }
          };
          element_ranges((n + kWords - 1) / kWords, fill, kWords);
        },
    .no_gradient = true,
};

}  // namespace

OpSpan random_ops() {
  static constexpr const OpDef* kOps[] = {&kRandomBits};
  return kOps;
}

Tensor random_bits(const Tensor& seed, const Shape& shape) {
  return ir::emit_one(kRandomBits, {seed}, {{"shape", shape.dims()}});
}

}  // namespace antler::ops
