#include <algorithm>
#include <memory>

#include "compiler/kernels.h"
#include "compiler/passes/passes.h"
#include "compiler/placement.h"
#include "compiler/plan.h"
#include "compiler/schedule.h"

namespace antler::compiler {
namespace {

using Pass = ir::Graph (*)(const ir::Graph&, const CompileOptions&);

struct PassEntry {
  const char* name;
  Pass run;
  bool optional;  ///< an optimization: plans are correct without it
  bool regions;   ///< also runs on the bodies of control flow
};

/// The passes over graphs, in order.
constexpr PassEntry kPasses[] = {
    {"expand_replicas", expand_replicas, false, true},
    {"bucket_all_reduces", bucket_all_reduces, true, false},
    {"decompose", decompose, false, true},
    {"partition", partition, true, true},
    {"simplify", simplify, true, true},
    {"cse", cse, true, true},
    {"share_scans", share_scans, true, true},
    {"transpose_weights", transpose_weights, true, true},
    {"hoist_scans", hoist_scans, true, true},
    {"canonical_dots", canonical_dots, true, true},
    {"simplify", simplify, true, true},
    {"cse", cse, true, true},
    {"masks_before_pools", masks_before_pools, true, true},
    {"dce", dce, true, true},
    {"fuse_conv_pools", fuse_conv_pools, true, true},
    {"disjoint_windows", disjoint_windows, true, true},
    {"expand_to_loops", expand_to_loops, true, false},
    {"split_reductions", split_reductions, true, false},
    {"simplify", simplify, true, false},
    {"cse", cse, true, false},
    {"reuse_activations", reuse_activations, true, false},
    {"dce", dce, true, true},
    {"own_results", own_results, false, false},
};

ir::Graph run_on_regions(const PassEntry& pass, ir::Graph graph, const CompileOptions& options) {
  for (ir::Node& node : graph.nodes) {
    for (ir::GraphPtr& region : node.regions) {
      region = std::make_shared<const ir::Graph>(
          pass.run(run_on_regions(pass, *region, options), options));
    }
  }
  return graph;
}

ir::Graph run_passes(ir::Graph graph, const CompileOptions& options) {
  const auto& off = options.disabled_passes;
  for (const PassEntry& pass : kPasses) {
    if (pass.optional && std::find(off.begin(), off.end(), pass.name) != off.end()) continue;
    if (pass.regions) graph = run_on_regions(pass, std::move(graph), options);
    graph = pass.run(graph, options);
    ir::verify(graph);
    if (options.dump) options.dump(pass.name, ir::print(graph));
  }
  return graph;
}

}  // namespace

Plan compile(ir::Graph graph, const CompileOptions& options) {
  Plan plan;
  plan.graph = run_passes(std::move(graph), options);
  plan.kernels = schedule(plan.graph, make_kernels(plan.graph, options.fuse));
  place_values(plan);
  return plan;
}

}  // namespace antler::compiler
