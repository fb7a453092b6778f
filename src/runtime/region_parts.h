#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "runtime/instance.h"

/// Shared by the kernels of control flow.
namespace antler::runtime {

inline std::vector<TensorSpec> specs_of(const ir::Graph& graph,
                                        std::span<const ir::ValueId> values) {
  std::vector<TensorSpec> specs;
  for (ir::ValueId v : values) specs.push_back(graph.spec(v));
  return specs;
}

inline std::shared_ptr<const CompiledPlan> compile_region_plan(const ir::Graph& region,
                                                               const KernelContext& context) {
  return compile_plan("region", compiler::compile(region, compile_options("region", true)),
                      context);
}

inline std::unique_ptr<Instance> compile_region(const ir::Graph& region,
                                                const KernelContext& context) {
  return std::make_unique<Instance>(compile_region_plan(region, context));
}

/// Double-buffered loop-carried values: an iteration reads `current` and writes `next`.
class Carry {
 public:
  explicit Carry(const std::vector<TensorSpec>& specs) {
    for (const TensorSpec& spec : specs) {
      bytes_.push_back(bytes_of(spec));
      current_.push_back(Buffer::allocate(bytes_.back()));
      next_.push_back(Buffer::allocate(bytes_.back()));
    }
  }
  int64_t own_bytes() const {
    return 2 * static_cast<int64_t>(std::accumulate(bytes_.begin(), bytes_.end(), size_t{0}));
  }
  void* current(size_t i) const { return current_[i]->data(); }
  void load(size_t i, const void* from) { std::memcpy(current(i), from, bytes_[i]); }
  void save(size_t i, void* to) const { std::memcpy(to, current(i), bytes_[i]); }
  /// Binds the leading arguments and results of the loop body.
  void bind(Instance& body) const {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      body.bind_argument(i, current(i));
      body.bind_result(i, next_[i]->data());
    }
  }
  void swap() { std::swap(current_, next_); }

 private:
  std::vector<size_t> bytes_;
  std::vector<std::shared_ptr<Buffer>> current_;
  std::vector<std::shared_ptr<Buffer>> next_;
};

std::unique_ptr<LibraryKernel> make_scan_kernel(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context);

}  // namespace antler::runtime
