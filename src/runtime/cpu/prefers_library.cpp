#include <algorithm>
#include <string_view>

#include "runtime/cpu/gemm/dot_layout.h"
#include "runtime/cpu/library_kernel.h"
#include "runtime/cpu/node_view.h"

namespace antler::runtime {
namespace {

// Multiply-adds from which GEMM beats a fused loop nest (about 1 us).
constexpr int64_t kSmallProduct = 32 << 10;

// Ops that loop nests cannot express, or compute slowly.
constexpr std::string_view kLibraryOps[] = {"conv",
                                            "conv_input_grad",
                                            "conv_filter_grad",
                                            "conv_relu_pool",
                                            "pool_scatter",
                                            "reduce_window",
                                            "select_and_scatter_add",
                                            "gather",
                                            "scatter",
                                            "gather_nd",
                                            "scatter_nd",
                                            "dynamic_slice",
                                            "sort",
                                            "argsort",
                                            "top_k",
                                            "concatenate",
                                            "dynamic_update_slice",
                                            "cumsum",
                                            "cumprod",
                                            "cummax",
                                            "cummin",
                                            "pad",
                                            "argmax",
                                            "argmin",
                                            "random_bits"};

}  // namespace

bool prefers_library(const ir::Graph& graph, const ir::Node& node) {
  const std::string_view op = node.op->name;
  if (op == "dot_general") {
    const TensorSpec& lhs = input_spec(graph, node, 0);
    if (!is_floating(lhs.dtype)) return false;
    const DotLayout d = dot_layout(lhs.shape, input_spec(graph, node, 1).shape, node.attrs);
    return d.batches * d.m * d.n * d.k >= kSmallProduct;
  }
  // The passes that create these ops call this function to find out whether a kernel supports them.
  if (op == "conv_pool_filter_grad" ||
      (op == "conv_relu_pool" && dtype_size(input_spec(graph, node, 0).dtype) == 2)) {
    return has_library_kernel(graph, node);
  }
  return std::find(std::begin(kLibraryOps), std::end(kLibraryOps), op) != std::end(kLibraryOps);
}

}  // namespace antler::runtime
