#include <algorithm>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "runtime/instance.h"
#include "runtime/region_parts.h"

// Control flow: each region is compiled to a plan. Loop-carried values are double-buffered.

namespace antler::runtime {
namespace {

class WhileKernel final : public LibraryKernel {
 public:
  WhileKernel(const ir::Graph& graph, const ir::Node& node, const KernelContext& context)
      : count_(static_cast<size_t>(node.attrs.integer("num_values"))),
        limit_(node.attrs.integer("max_iterations")),
        inputs_(node.inputs.size()),
        carry_(specs_of(graph, std::span(node.inputs).first(count_))),
        condition_(compile_region(*node.regions[0], context)),
        body_(compile_region(*node.regions[1], context)) {
    condition_->bind_result(0, &continues_);
  }

  void run(void* const* buffers) override {
    for (size_t i = 0; i < count_; ++i) carry_.load(i, buffers[i]);
    for (size_t i = count_; i < inputs_; ++i) {
      condition_->bind_argument(i, buffers[i]);
      body_->bind_argument(i, buffers[i]);
    }
    for (int64_t iteration = 0; limit_ < 0 || iteration < limit_; ++iteration) {
      for (size_t i = 0; i < count_; ++i) condition_->bind_argument(i, carry_.current(i));
      condition_->step();
      if (!continues_) break;
      carry_.bind(*body_);
      body_->step();
      carry_.swap();
    }
    for (size_t i = 0; i < count_; ++i) carry_.save(i, buffers[inputs_ + i]);
  }
  int64_t own_bytes() const override {
    return condition_->own_bytes() + body_->own_bytes() + carry_.own_bytes();
  }
  bool starts_threads() const override {
    return condition_->starts_threads() || body_->starts_threads();
  }
  const char* name() const override { return "while"; }

 private:
  size_t count_;
  int64_t limit_;
  size_t inputs_;
  Carry carry_;
  bool continues_ = false;
  std::unique_ptr<Instance> condition_;
  std::unique_ptr<Instance> body_;
};

class CondKernel final : public LibraryKernel {
 public:
  CondKernel(const ir::Node& node, const KernelContext& context)
      : inputs_(node.inputs.size()), outputs_(node.outputs.size()) {
    for (const ir::GraphPtr& region : node.regions)
      branches_.push_back(compile_region(*region, context));
  }

  void run(void* const* buffers) override {
    Instance& branch = *branches_[*static_cast<const bool*>(buffers[0]) ? 0 : 1];
    for (size_t i = 1; i < inputs_; ++i) branch.bind_argument(i - 1, buffers[i]);
    for (size_t i = 0; i < outputs_; ++i) branch.bind_result(i, buffers[inputs_ + i]);
    branch.step();
  }
  int64_t own_bytes() const override {
    int64_t bytes = 0;
    for (const auto& branch : branches_) bytes += branch->own_bytes();
    return bytes;
  }
  bool starts_threads() const override {
    return std::any_of(branches_.begin(), branches_.end(),
                       [](const auto& branch) { return branch->starts_threads(); });
  }
  const char* name() const override { return "cond"; }

 private:
  size_t inputs_;
  size_t outputs_;
  std::vector<std::unique_ptr<Instance>> branches_;
};

}  // namespace

bool is_region_op(const ir::OpDef& op) {
  const std::string_view name = op.name;
  return name == "while" || name == "cond" || name == "scan";
}

std::unique_ptr<LibraryKernel> make_region_kernel(const ir::Graph& graph, const ir::Node& node,
                                                  const KernelContext& context) {
  const std::string_view name = node.op->name;
  if (name == "while") return std::make_unique<WhileKernel>(graph, node, context);
  if (name == "cond") return std::make_unique<CondKernel>(node, context);
  if (name == "scan") return make_scan_kernel(graph, node, context);
  throw InternalError("no region kernel for op `{}`", name);
}

}  // namespace antler::runtime
