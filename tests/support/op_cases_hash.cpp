#include "antler/ops/host_map.h"
#include "support/op_cases.h"

namespace antler::test {

// Expected bins are those of Keras's layers Hashing and HashedCrossing.
OpCases hash_cases() {
  const Tensor x = tensor_of(DType::int64, {2, 3}, {0, 1, 2, 3, 1138, -5});
  const Tensor a = tensor_of(DType::int64, {5}, {1, 5, 2, 1, 4});
  const Tensor b = tensor_of(DType::int64, {5}, {2, 9, 42, 37, 8});
  const ir::Ints no_key;
  static const ops::HostFunctionPtr twice_in_a_row = ops::host_function(
      [](const TensorSpec& s) {
        return TensorSpec{DType::int32, {s.shape[0], 2}};
      },
      [](const Tensor& in, const Tensor& out) {
        for (int64_t i = 0; i < out.size(); ++i) {
          out.mutable_data<int32_t>()[i] = static_cast<int32_t>(in.data<int64_t>()[i / 2]);
        }
      });
  return {
      {.op = "hash_bin",
       .name = "fingerprint",
       .inputs = {x},
       .attrs = {{"bins", int64_t{10}}, {"key", no_key}},
       .expected = {{5, 9, 9, 1, 3, 6}}},
      {.op = "hash_bin",
       .name = "empty",
       .inputs = {tensor_of(DType::int64, {0}, {})},
       .attrs = {{"bins", int64_t{10}}, {"key", no_key}},
       .expected = {{}}},
      {.op = "cross_hash_bin",
       .name = "two features",
       .inputs = {a, b},
       .attrs = {{"bins", int64_t{1000}}},
       .expected = {{357, 290, 379, 530, 857}}},
      {.op = "host_map",
       .name = "another dtype and shape",
       .inputs = {b},
       .attrs = {{"function", twice_in_a_row->id()}},
       .expected = {{2, 2, 9, 9, 42, 42, 37, 37, 8, 8}}},
  };
}

}  // namespace antler::test
