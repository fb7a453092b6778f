#include <algorithm>
#include <memory>

#include "support/op_cases.h"
#include "support/twins.h"

namespace antler::test {
namespace {

/// An all-reduce in two calls has the number of its values, which are all results, too.
class NumberedTwins final : public Twins {
 public:
  uint64_t start_all_reduce(std::span<const Array> arrays, DType, ops::ReduceOp) override {
    uint64_t count = 0;
    for (const Array& array : arrays) count += array.count;
    return count;
  }
  void finish_all_reduce(uint64_t number, std::span<const Array> arrays) override {
    for (const Array& array : arrays)
      std::fill_n(static_cast<float*>(array.output), array.count, static_cast<float>(number));
  }
};

}  // namespace

OpCases worker_cases() {
  ops::set_communicator(std::make_shared<NumberedTwins>());
  const Tensor x = tensor_of(DType::float32, {2, 2}, {1, 2, 3, -4});
  const Tensor y = tensor_of(DType::float32, {3}, {5, 6, 7});
  const int64_t workers = 2;
  return {
      {.op = "worker_all_reduce",
       .name = "sum",
       .inputs = {x},
       .attrs = {{"op", "sum"}, {"workers", workers}},
       .expected = {{2, 4, 6, -8}},
       .gradient = false},
      {.op = "worker_all_reduce",
       .name = "the mean of two arrays in one message",
       .inputs = {x, y},
       .attrs = {{"op", "mean"}, {"workers", workers}},
       .expected = {{1, 2, 3, -4}, {5, 6, 7}},
       .gradient = false},
      {.op = "worker_all_reduce_start",
       .name = "two arrays",
       .inputs = {x, y, tensor_of(DType::int64, {}, {4})},
       .attrs = {{"op", "sum"}, {"workers", workers}, {"arrays", int64_t{2}}},
       .expected = {{7}},
       .gradient = false},
      {.op = "worker_all_reduce_finish",
       .name = "results of several shapes",
       .inputs = {tensor_of(DType::int64, {}, {5}), tensor_of(DType::int64, {}, {6})},
       .attrs = {{"workers", workers},
                 {"dtype", DType::float32},
                 {"shapes", ir::Ints{2, 1, 2, 0, 1, 3}}},
       .expected = {{5, 5}, {5}, {5, 5, 5}},
       .gradient = false},
      {.op = "worker_all_gather",
       .name = "blocks in the order of ranks",
       .inputs = {x},
       .attrs = {{"workers", workers}},
       .expected = {{1, 2, 3, -4, 1, 2, 3, -4}},
       .gradient = false},
  };
}

}  // namespace antler::test
