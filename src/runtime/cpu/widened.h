#pragma once

#include <memory>
#include <string>

#include "runtime/cpu/library_kernel.h"

namespace antler::runtime {

/// Computes a bfloat16 or float16 node in float32: converts the inputs, runs the kernel that `make`
/// makes for the float32 node, and converts the outputs back.
std::unique_ptr<LibraryKernel> make_widened(const ir::Graph& graph, const ir::Node& node,
                                            const KernelContext& context, MakeKernel make,
                                            std::string* refusal);

}  // namespace antler::runtime
