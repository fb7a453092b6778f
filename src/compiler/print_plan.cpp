#include <iterator>

#include <fmt/format.h>

#include "compiler/plan.h"

namespace antler::compiler {
namespace {

std::string place(const Slot& slot) {
  switch (slot.space) {
    case Slot::Space::none:
      return "nowhere";
    case Slot::Space::argument:
      return fmt::format("argument {}", slot.index);
    case Slot::Space::state:
      return fmt::format("state {}", slot.index);
    case Slot::Space::result:
      return fmt::format("result {}", slot.index);
    case Slot::Space::constant:
      return fmt::format("literal {}", slot.index);
    case Slot::Space::arena:
      break;
  }
  return fmt::format("arena +{}", slot.offset);
}

}  // namespace

std::string print(const Plan& plan) {
  std::string text;
  auto out = std::back_inserter(text);
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const PlanKernel& kernel = plan.kernels[k];
    constexpr const char* kKinds[] = {"loop", "library", "copy"};
    fmt::format_to(out, "kernel {}: {} {}\n", k, kKinds[static_cast<size_t>(kernel.kind)],
                   kernel.name);
    for (size_t b = 0; b < kernel.buffers.size(); ++b) {
      const ir::ValueId v = kernel.buffers[b];
      const TensorSpec& spec = plan.graph.spec(v);
      fmt::format_to(out, "  b{} = %{} : {} {} in {}\n", b, v, dtype_name(spec.dtype),
                     spec.shape.str(), place(plan.slots[static_cast<size_t>(v)]));
    }
    if (kernel.kind == PlanKernel::Kind::loop) text += print(kernel.nest);
  }
  const MemoryPlan& m = plan.memory;
  fmt::format_to(
      out,
      "bytes: arguments {}, states {}, results {}, constants {}, arena {}, scratch {}, total {}\n",
      m.arguments, m.states, m.results, m.constants, m.arena, m.scratch, m.total());
  return text;
}

}  // namespace antler::compiler
