#include "runtime/kernel_harness.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "antler/ir/graph.h"
#include "antler/ops/op_list.h"
#include "runtime/cpu/library_kernel.h"
#include "support/op_harness.h"

namespace antler::test {
namespace {

constexpr size_t kGuard = 64;
constexpr int kGarbage = 0xA5;
// Kernels sum in float32 and in another order than the reference loops, which sum in double.
constexpr double kFloat32 = 2e-5;

/// A buffer filled with garbage and followed by a guard.
std::shared_ptr<Buffer> guarded(size_t bytes) {
  auto buffer = Buffer::allocate(bytes + kGuard);
  std::memset(buffer->data(), kGarbage, bytes + kGuard);
  return buffer;
}

void expect_guard(const Buffer& buffer, size_t bytes, const char* what) {
  const auto* guard = static_cast<const unsigned char*>(buffer.data()) + bytes;
  for (size_t i = 0; i < kGuard; ++i) {
    ASSERT_EQ(guard[i], kGarbage) << "written behind " << what << ", byte " << i;
  }
}

Tensors run(runtime::LibraryKernel& kernel, const Tensors& inputs,
            const std::vector<TensorSpec>& specs) {
  const auto scratch = guarded(kernel.scratch_bytes());
  kernel.set_scratch(scratch->data());
  std::vector<void*> buffers;
  for (const Tensor& t : inputs) buffers.push_back(const_cast<void*>(t.data()));
  Tensors outputs;
  for (const TensorSpec& spec : specs) {
    const size_t bytes = static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
    outputs.push_back(Tensor::from_buffer(spec, guarded(bytes)));
    buffers.push_back(outputs.back().mutable_data());
  }
  kernel.run(buffers.data());
  expect_guard(*scratch, kernel.scratch_bytes(), "the scratch memory");
  for (const Tensor& t : outputs) expect_guard(*t.impl()->buffer, t.bytes(), "an output");
  return outputs;
}

void expect_same_bits(const Tensors& a, const Tensors& b, const char* what) {
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::memcmp(a[i].data(), b[i].data(), a[i].bytes()), 0) << what;
  }
}

}  // namespace

int check_kernels(const std::string& op_name, const Tensors& inputs, const ir::Attrs& attrs,
                  double tolerance) {
  const ir::OpDef* op = ops::find_op(op_name);
  if (op == nullptr) {
    ADD_FAILURE() << "no op `" << op_name << "`";
    return 0;
  }
  std::vector<TensorSpec> in;
  for (const Tensor& t : inputs) in.push_back(t.spec());
  const std::vector<TensorSpec> specs = op->infer({in, attrs, {}});
  Tensors expected;
  expected.reserve(specs.size());
  for (const TensorSpec& spec : specs) expected.push_back(Tensor::zeros(spec.dtype, spec.shape));
  op->reference({inputs, expected, attrs, {}});

  ir::Graph graph;
  std::vector<ir::ValueId> ids;
  ids.reserve(in.size());
  for (const TensorSpec& spec : in) ids.push_back(graph.add_input(spec));
  graph.outputs = graph.add_node(*op, ids, attrs, {}, specs);
  // Outputs that nothing reads may be left unwritten.
  ir::Graph first_only = graph;
  first_only.outputs.resize(1);
  int accepted = 0;
  for (const runtime::Candidate& candidate : runtime::candidates_for(*op)) {
    if (std::string_view(candidate.name) == "reference") continue;
    std::string refusal;
    const auto one = candidate.make(graph, graph.nodes[0], {.threads = 1}, &refusal);
    if (one == nullptr) {
      EXPECT_NE(refusal, "") << candidate.name;
      continue;
    }
    ++accepted;
    SCOPED_TRACE(op_name + " by " + candidate.name + " " + attrs.str());
    const Tensors results = run(*one, inputs, specs);
    for (size_t i = 0; i < results.size(); ++i) {
      const bool single = expected[i].dtype() == DType::float32;
      expect_close(results[i], expected[i].to_doubles(),
                   tolerance < 0 && single ? kFloat32 : tolerance);
    }
    expect_same_bits(results, run(*one, inputs, specs), "a second run differs");
    if (specs.size() > 1) {
      const auto first = candidate.make(first_only, graph.nodes[0], {.threads = 1}, &refusal);
      expect_same_bits({results[0]}, run(*first, inputs, specs), "the first result alone differs");
    }
    const auto three =
        candidate.make(graph, graph.nodes[0], {.threads = 3, .deterministic = true}, &refusal);
    if (three == nullptr) {  // the kernel is not deterministic
      EXPECT_NE(refusal, "") << candidate.name;
      const auto other = candidate.make(graph, graph.nodes[0], {.threads = 3}, &refusal);
      const Tensors threaded = run(*other, inputs, specs);
      for (size_t i = 0; i < threaded.size(); ++i) {
        expect_close(threaded[i], expected[i].to_doubles(),
                     tolerance < 0 && threaded[i].dtype() == DType::float32 ? kFloat32 : tolerance);
      }
      continue;
    }
    expect_same_bits(results, run(*three, inputs, specs), "three threads differ from one");
  }
  return accepted;
}

}  // namespace antler::test
