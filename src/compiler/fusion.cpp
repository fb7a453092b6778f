#include "compiler/fusion.h"

#include "compiler/fuser.h"

namespace antler::compiler {

using ir::ValueId;

Fusion find_fusion(const ir::Graph& graph, const FusionLimits& limits) {
  constexpr int kRounds = 3;
  std::unordered_set<ValueId> stored;
  for (int round = 1;; ++round) {
    Fuser fuser(graph, limits, stored);
    Fusion fusion = fuser.run();
    const std::vector<ValueId> wasteful = limits.fuse ? fuser.wasteful() : std::vector<ValueId>();
    if (wasteful.empty() || round == kRounds) return fusion;
    stored.insert(wasteful.begin(), wasteful.end());
  }
}

}  // namespace antler::compiler
