#include <cstring>
#include <memory>
#include <stdexcept>

#include "antler/ops/communicator.h"
#include "support/op_cases.h"

namespace antler::test {
namespace {

/// A group of two processes, of which the other one always has the same values as this one.
class Twins final : public ops::Communicator {
 public:
  int64_t rank() const override { return 0; }
  int64_t size() const override { return 2; }
  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    if (op != ops::ReduceOp::sum) return;
    if (dtype != DType::float32) throw std::logic_error("not float32");
    auto* const values = static_cast<float*>(data);
    for (size_t i = 0; i < count; ++i) values[i] *= 2;
  }
  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    std::memcpy(result.data(), block.data(), block.size());
    std::memcpy(result.data() + block.size(), block.data(), block.size());
  }
  void broadcast(std::span<std::byte>, int64_t) override {}
  void barrier() override {}
};

}  // namespace

OpCases worker_cases() {
  ops::set_communicator(std::make_shared<Twins>());
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
      {.op = "worker_all_gather",
       .name = "blocks in the order of ranks",
       .inputs = {x},
       .attrs = {{"workers", workers}},
       .expected = {{1, 2, 3, -4, 1, 2, 3, -4}},
       .gradient = false},
  };
}

}  // namespace antler::test
