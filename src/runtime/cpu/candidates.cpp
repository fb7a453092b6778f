#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "antler/base/error.h"
#include "runtime/cpu/kernel_lists.h"

namespace antler::runtime {
namespace {

struct OpKernels {
  std::string_view op;
  CandidateSpan (*kernels)();
};

constexpr OpKernels kOpKernels[] = {
    {"dot_general", dot_general_kernels},
    {"conv", conv_kernels},
    {"conv_input_grad", conv_input_grad_kernels},
    {"conv_filter_grad", conv_filter_grad_kernels},
    {"conv_relu_pool", conv_relu_pool_kernels},
    {"conv_pool_filter_grad", conv_pool_filter_grad_kernels},
    {"pool_scatter", pool_scatter_kernels},
    {"reduce_window", reduce_window_kernels},
    {"select_and_scatter_add", select_and_scatter_kernels},
    {"random_bits", random_bits_kernels},
    {"transpose", transpose_kernels},
    {"gather", gather_kernels},
    {"gather_nd", gather_nd_kernels},
    {"scatter", scatter_kernels},
    {"scatter_nd", scatter_nd_kernels},
    {"concatenate", concatenate_kernels},
    {"pad", pad_kernels},
    {"slice", slice_kernels},
    {"dynamic_slice", dynamic_slice_kernels},
    {"dynamic_update_slice", dynamic_update_slice_kernels},
    {"sort", sort_kernels},
    {"argsort", argsort_kernels},
    {"top_k", top_k_kernels},
    {"cumsum", cumulative_kernels},
    {"cumprod", cumulative_kernels},
    {"cummax", cumulative_kernels},
    {"cummin", cumulative_kernels},
    {"argmax", arg_reduce_kernels},
    {"argmin", arg_reduce_kernels},
};

std::vector<std::vector<Candidate>> with_reference() {
  std::vector<std::vector<Candidate>> lists;
  for (const OpKernels& entry : kOpKernels) {
    const CandidateSpan kernels = entry.kernels();
    lists.emplace_back(kernels.begin(), kernels.end());
    lists.back().push_back(kReferenceKernel);
  }
  return lists;
}

bool is_verbose() {
  const char* value = std::getenv("ANTLER_VERBOSE");
  return value != nullptr && std::string_view(value) == "1";
}

/// Whether the environment variable ANTLER_SKIP_KERNELS ("onednn,gemm") lists the kernel.
bool is_skipped(std::string_view name) {
  static const char* const value = std::getenv("ANTLER_SKIP_KERNELS");
  if (value == nullptr) return false;
  std::string_view rest(value);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (rest.substr(0, comma) == name) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

}  // namespace

std::span<const Candidate> candidates_for(const ir::OpDef& op) {
  static const std::vector<std::vector<Candidate>> lists = with_reference();
  for (size_t i = 0; i < std::size(kOpKernels); ++i) {
    if (kOpKernels[i].op == op.name) return lists[i];
  }
  return {&kReferenceKernel, 1};
}

std::unique_ptr<LibraryKernel> make_library_kernel(const ir::Graph& graph, const ir::Node& node,
                                                   const KernelContext& context) {
  const bool verbose = is_verbose();
  std::string refusals;
  for (const Candidate& candidate : candidates_for(*node.op)) {
    std::string refusal;
    if (is_skipped(candidate.name) && candidate.make != kReferenceKernel.make) {
      refusal = "skipped";
    } else if (auto kernel = candidate.make(graph, node, context, &refusal)) {
      return kernel;
    }
    if (verbose) {
      std::fprintf(stderr, "antler: %s: %s refuses: %s\n", node.op->name, candidate.name,
                   refusal.c_str());
    }
    refusals += format("{}{}: {}", refusals.empty() ? "" : "; ", candidate.name, refusal);
  }
  throw InternalError("no kernel for op `{}`: {}", node.op->name, refusals);
}

bool has_library_kernel(const ir::Graph& graph, const ir::Node& node) {
  const auto all = candidates_for(*node.op);
  return std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
    return candidate.make != kReferenceKernel.make && !is_skipped(candidate.name) &&
           candidate.make(graph, node, {}, nullptr) != nullptr;
  });
}

}  // namespace antler::runtime
