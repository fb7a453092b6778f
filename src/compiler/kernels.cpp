#include "compiler/kernels.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "antler/base/error.h"
#include "compiler/fusion.h"
#include "compiler/nest_builder.h"
#include "compiler/nest_shape.h"
#include "compiler/op_kind.h"
#include "compiler/views.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

/// A copy of at most this many bytes is a loop nest, so that small programs can consist of nests
/// only.
constexpr int64_t kSmallCopy = 4096;

std::string library_name(const ir::Graph& graph, const ir::Node& node) {
  std::string name = node.op->name;
  for (ValueId v : node.inputs) {
    const Shape& shape = graph.spec(v).shape;
    name += shape.empty() ? " ()" : fmt::format(" {}", fmt::join(shape.dims(), "x"));
  }
  return name;
}

PlanKernel library_kernel(const ir::Graph& graph, ir::NodeId n) {
  const ir::Node& node = graph.nodes[static_cast<size_t>(n)];
  PlanKernel kernel;
  kernel.kind = PlanKernel::Kind::library;
  kernel.name = library_name(graph, node);
  kernel.node = n;
  for (ValueId v : node.inputs) kernel.buffers.push_back(storage_base(graph, v));
  kernel.buffers.insert(kernel.buffers.end(), node.outputs.begin(), node.outputs.end());
  return kernel;
}

PlanKernel loop_kernel(const ir::Graph& graph, BuiltNest built) {
  if (is_copy(built.nest)) {
    const bool stored_first = built.nest.buffers[0].written;
    const ValueId from = built.buffers[stored_first ? 1 : 0];
    const ValueId to = built.buffers[stored_first ? 0 : 1];
    if (bytes_of(graph, from) == bytes_of(graph, to)) return make_copy(graph, from, to);
  }
  PlanKernel kernel;
  kernel.kind = PlanKernel::Kind::loop;
  kernel.name = std::move(built.name);
  kernel.nest = std::move(built.nest);
  kernel.buffers = std::move(built.buffers);
  verify(kernel.nest);
  return kernel;
}

/// Builds the kernels of a fusion. Returns false and stores the value at fault in `problem` if one
/// of the nests cannot be expressed as loops.
bool build_all(const ir::Graph& graph, const Fusion& fusion, std::vector<PlanKernel>& kernels,
               ValueId& problem) {
  for (size_t i = 0; i < fusion.nests.size(); ++i) {
    if (fusion.nests[i].members.empty()) continue;
    auto built = build_nest(graph, fusion, static_cast<int>(i), problem);
    if (!built) return false;
    kernels.push_back(loop_kernel(graph, std::move(*built)));
  }
  for (ir::NodeId n : fusion.library) kernels.push_back(library_kernel(graph, n));
  return true;
}

}  // namespace

int64_t bytes_of(const ir::Graph& graph, ValueId v) { return graph.spec(v).num_bytes(); }

std::vector<PlanKernel> make_kernels(const ir::Graph& graph, bool fuse) {
  FusionLimits limits{.fuse = fuse};
  while (true) {
    std::vector<PlanKernel> kernels;
    ValueId problem = -1;
    if (build_all(graph, find_fusion(graph, limits), kernels, problem)) return kernels;
    if (!limits.separate.insert(problem).second) {
      throw InternalError("No loop nest computes %{} of\n{}", problem, ir::print(graph));
    }
  }
}

PlanKernel make_copy(const ir::Graph& graph, ValueId from, ValueId to) {
  PlanKernel kernel;
  kernel.name = "copy";
  kernel.buffers = {from, to};
  if (bytes_of(graph, from) > kSmallCopy) {
    kernel.kind = PlanKernel::Kind::copy;
    return kernel;
  }
  const DType dtype = graph.spec(from).dtype;
  const int64_t count = graph.spec(from).shape.num_elements();
  LoopNest& nest = kernel.nest;
  std::vector<int64_t> stride;
  if (count != 1) {
    nest.extents = {count};
    stride = {1};
  }
  nest.buffers = {{dtype, false}, {dtype, true}};
  Expr load;
  load.kind = Expr::Kind::load;
  load.dtype = dtype;
  load.access = {0, 0, stride, {}};
  nest.phases.push_back({{}, {load}, {{{1, 0, stride, {}}, dtype, 0}}, {}});
  return kernel;
}

std::vector<ValueId> reads_of(const ir::Graph& graph, const PlanKernel& kernel) {
  std::vector<ValueId> reads;
  const auto add = [&](ValueId v) {
    if (std::find(reads.begin(), reads.end(), v) == reads.end()) reads.push_back(v);
  };
  switch (kernel.kind) {
    case PlanKernel::Kind::loop:
      for (size_t i = 0; i < kernel.buffers.size(); ++i) {
        if (!kernel.nest.buffers[i].written) add(kernel.buffers[i]);
      }
      break;
    case PlanKernel::Kind::library:
      for (size_t i = 0; i < graph.nodes[static_cast<size_t>(kernel.node)].inputs.size(); ++i)
        add(kernel.buffers[i]);
      break;
    case PlanKernel::Kind::copy:
      add(kernel.buffers[0]);
      break;
  }
  return reads;
}

std::vector<ValueId> writes_of(const ir::Graph& graph, const PlanKernel& kernel) {
  switch (kernel.kind) {
    case PlanKernel::Kind::loop: {
      std::vector<ValueId> writes;
      for (size_t i = 0; i < kernel.buffers.size(); ++i) {
        if (kernel.nest.buffers[i].written) writes.push_back(kernel.buffers[i]);
      }
      return writes;
    }
    case PlanKernel::Kind::library: {
      const auto inputs =
          static_cast<std::ptrdiff_t>(graph.nodes[static_cast<size_t>(kernel.node)].inputs.size());
      return {kernel.buffers.begin() + inputs, kernel.buffers.end()};
    }
    case PlanKernel::Kind::copy:
      break;
  }
  return {kernel.buffers[1]};
}

}  // namespace antler::compiler
