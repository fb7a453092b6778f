#pragma once

#include <memory>
#include <string>

#include "runtime/cpu/library_kernel.h"

/// Candidates made of oneDNN primitives. They refuse under `deterministic`, because their sums
/// depend on the number of threads, and for small problems, where our own kernels have less
/// overhead.
namespace antler::runtime {

std::unique_ptr<LibraryKernel> make_onednn_dot(const ir::Graph& graph, const ir::Node& node,
                                               const KernelContext& context, std::string* refusal);
std::unique_ptr<LibraryKernel> make_onednn_conv(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context, std::string* refusal);
std::unique_ptr<LibraryKernel> make_onednn_conv_input_grad(const ir::Graph& graph,
                                                           const ir::Node& node,
                                                           const KernelContext& context,
                                                           std::string* refusal);
std::unique_ptr<LibraryKernel> make_onednn_conv_filter_grad(const ir::Graph& graph,
                                                            const ir::Node& node,
                                                            const KernelContext& context,
                                                            std::string* refusal);

}  // namespace antler::runtime
