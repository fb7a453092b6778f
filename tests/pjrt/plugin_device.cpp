#include "pjrt/plugin_device.h"

#include <vector>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "antler/ops/op_list.h"
#include "antler/runtime/device.h"
#include "antler/runtime/program.h"
#include "support/cpu_plugin.h"

namespace antler::test {
namespace {

/// A graph of one op.
ir::Graph graph_of(const OpCase& c) {
  const ir::OpDef* const op = ops::find_op(c.op);
  if (op == nullptr) throw InternalError("there is no op `{}`", c.op);
  ir::Graph graph;
  std::vector<TensorSpec> specs;
  for (const Tensor& t : c.inputs) {
    specs.push_back(t.spec());
    graph.inputs.push_back(graph.add_input(t.spec()));
  }
  const std::vector<TensorSpec> results = op->infer({specs, c.attrs, c.regions});
  graph.outputs = graph.add_node(*op, graph.inputs, c.attrs, c.regions, results);
  return graph;
}

}  // namespace

void OnDevice::SetUp() {
  if (!prepare_cpu_plugin(8)) GTEST_SKIP() << kNoCpuPlugin;
  config::set_device("pjrt:cpu");
}

std::optional<Tensors> run_on_device(const OpCase& c, std::string& reason) {
  const auto program =
      runtime::device_backend().compile(graph_of(c), {.name = c.op}, config::device(), reason);
  if (program == nullptr) return std::nullopt;
  return program->run(c.inputs);
}

}  // namespace antler::test
