#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "runtime/instance.h"

/// What the kernels of control flow are made of.
namespace antler::runtime {

inline size_t bytes_of(const TensorSpec& spec) {
  return static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
}

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

/// An instance of a region.
inline std::unique_ptr<Instance> compile_region(const ir::Graph& region,
                                                const KernelContext& context) {
  return std::make_unique<Instance>(compile_region_plan(region, context));
}

/// Two buffers for each loop value: one read, one written.
class Carry {
 public:
  explicit Carry(const std::vector<TensorSpec>& specs) {
    for (const TensorSpec& spec : specs) {
      bytes_.push_back(bytes_of(spec));
      now_.push_back(Buffer::allocate(bytes_.back()));
      next_.push_back(Buffer::allocate(bytes_.back()));
    }
  }
  size_t size() const { return bytes_.size(); }
  int64_t own_bytes() const {
    return 2 * static_cast<int64_t>(std::accumulate(bytes_.begin(), bytes_.end(), size_t{0}));
  }
  size_t bytes(size_t i) const { return bytes_[i]; }
  void* now(size_t i) const { return now_[i]->data(); }
  void* next(size_t i) const { return next_[i]->data(); }
  void load(size_t i, const void* from) { std::memcpy(now(i), from, bytes_[i]); }
  void save(size_t i, void* to) const { std::memcpy(to, now(i), bytes_[i]); }
  void advance() { std::swap(now_, next_); }

 private:
  std::vector<size_t> bytes_;
  std::vector<std::shared_ptr<Buffer>> now_;
  std::vector<std::shared_ptr<Buffer>> next_;
};

std::unique_ptr<LibraryKernel> make_scan_kernel(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context);

}  // namespace antler::runtime
