#pragma once

#include <memory>
#include <string>

#include "runtime/cpu/library_kernel.h"

namespace antler::runtime {

/// A kernel for a node whose bfloat16 or float16 inputs and outputs are converted around a float32
/// kernel that `make` gives for the same node.
std::unique_ptr<LibraryKernel> make_widened(const ir::Graph& graph, const ir::Node& node,
                                            const KernelContext& context, MakeKernel make,
                                            std::string* refusal);

}  // namespace antler::runtime
