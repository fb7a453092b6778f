#include "compiler/passes/passes.h"

namespace antler::compiler {

ir::Graph dce(const ir::Graph& graph, const CompileOptions&) { return ir::prune(graph); }

}  // namespace antler::compiler
