#include <cstring>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "runtime/instance.h"

// Control flow: each region is a plan of its own, whose arguments and results are bound to carry
// buffers that swap after every iteration.

namespace antler::runtime {
namespace {

size_t bytes_of(const TensorSpec& spec) {
  return static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
}

/// An instance of a region.
std::unique_ptr<Instance> compile_region(const ir::Graph& region, const KernelContext& context) {
  return std::make_unique<Instance>(
      compile_plan("region", compiler::compile(region, compile_options("region", true)), context));
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

std::vector<TensorSpec> specs_of(const ir::Graph& graph, std::span<const ir::ValueId> values) {
  std::vector<TensorSpec> specs;
  for (ir::ValueId v : values) specs.push_back(graph.spec(v));
  return specs;
}

class WhileKernel final : public LibraryKernel {
 public:
  WhileKernel(const ir::Graph& graph, const ir::Node& node, const KernelContext& context)
      : count_(static_cast<size_t>(node.attrs.integer("num_values"))),
        limit_(node.attrs.integer("max_iterations")),
        inputs_(node.inputs.size()),
        carry_(specs_of(graph, std::span(node.inputs).first(count_))),
        condition_(compile_region(*node.regions[0], context)),
        body_(compile_region(*node.regions[1], context)) {
    condition_->bind_result(0, &go_on_);
  }

  void run(void* const* buffers) override {
    for (size_t i = 0; i < count_; ++i) carry_.load(i, buffers[i]);
    for (size_t i = count_; i < inputs_; ++i) {
      condition_->bind_argument(i, buffers[i]);
      body_->bind_argument(i, buffers[i]);
    }
    for (int64_t iteration = 0; limit_ < 0 || iteration < limit_; ++iteration) {
      for (size_t i = 0; i < count_; ++i) condition_->bind_argument(i, carry_.now(i));
      condition_->step();
      if (!go_on_) break;
      for (size_t i = 0; i < count_; ++i) {
        body_->bind_argument(i, carry_.now(i));
        body_->bind_result(i, carry_.next(i));
      }
      body_->step();
      carry_.advance();
    }
    for (size_t i = 0; i < count_; ++i) carry_.save(i, buffers[inputs_ + i]);
  }
  const char* name() const override { return "while"; }

 private:
  size_t count_;
  int64_t limit_;
  size_t inputs_;
  Carry carry_;
  bool go_on_ = false;
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
  const char* name() const override { return "cond"; }

 private:
  size_t inputs_;
  size_t outputs_;
  std::vector<std::unique_ptr<Instance>> branches_;
};

class ScanKernel final : public LibraryKernel {
 public:
  ScanKernel(const ir::Graph& graph, const ir::Node& node, const KernelContext& context)
      : num_carry_(static_cast<size_t>(node.attrs.integer("num_carry"))),
        num_xs_(static_cast<size_t>(node.attrs.integer("num_xs"))),
        length_(node.attrs.integer("length")),
        reverse_(node.attrs.flag("reverse")),
        inputs_(node.inputs.size()),
        outputs_(node.outputs.size()),
        carry_(specs_of(graph, std::span(node.inputs).first(num_carry_))),
        body_(compile_region(*node.regions[0], context)) {
    const ir::Graph& region = *node.regions[0];
    for (size_t i = 0; i < num_xs_; ++i)
      x_bytes_.push_back(bytes_of(region.spec(region.inputs[num_carry_ + i])));
    for (size_t i = num_carry_; i < outputs_; ++i)
      y_bytes_.push_back(bytes_of(region.spec(region.outputs[i])));
  }

  void run(void* const* buffers) override {
    for (size_t i = 0; i < num_carry_; ++i) carry_.load(i, buffers[i]);
    for (size_t i = num_carry_ + num_xs_; i < inputs_; ++i) body_->bind_argument(i, buffers[i]);
    for (int64_t k = 0; k < length_; ++k) {
      const auto t = static_cast<size_t>(reverse_ ? length_ - 1 - k : k);
      for (size_t i = 0; i < num_carry_; ++i) {
        body_->bind_argument(i, carry_.now(i));
        body_->bind_result(i, carry_.next(i));
      }
      for (size_t i = 0; i < num_xs_; ++i) {
        body_->bind_argument(num_carry_ + i,
                             static_cast<char*>(buffers[num_carry_ + i]) + t * x_bytes_[i]);
      }
      for (size_t i = num_carry_; i < outputs_; ++i) {
        body_->bind_result(i,
                           static_cast<char*>(buffers[inputs_ + i]) + t * y_bytes_[i - num_carry_]);
      }
      body_->step();
      carry_.advance();
    }
    for (size_t i = 0; i < num_carry_; ++i) carry_.save(i, buffers[inputs_ + i]);
  }
  const char* name() const override { return "scan"; }

 private:
  size_t num_carry_;
  size_t num_xs_;
  int64_t length_;
  bool reverse_;
  size_t inputs_;
  size_t outputs_;
  Carry carry_;
  std::unique_ptr<Instance> body_;
  std::vector<size_t> x_bytes_;
  std::vector<size_t> y_bytes_;
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
  if (name == "scan") return std::make_unique<ScanKernel>(graph, node, context);
  throw InternalError(std::string("no region kernel for op `") + node.op->name + "`");
}

}  // namespace antler::runtime
