#pragma once

#include <memory>
#include <string>

#include "runtime/cpu/library_kernel.h"

/// Kernels made of oneDNN primitives, as candidates for an op. They refuse where the number of
/// threads must not show in the result, and products so small that making the primitive costs more
/// than it saves.
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
