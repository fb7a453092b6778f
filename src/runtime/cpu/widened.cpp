#include "runtime/cpu/widened.h"

#include <utility>
#include <vector>

#include "compiler/loop_nest.h"
#include "runtime/cpu/half_convert.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/scratch_layout.h"

namespace antler::runtime {

using compiler::is_half;

namespace {

class Widened final : public LibraryKernel {
 public:
  Widened(const ir::Graph& graph, const ir::Node& node, const KernelContext& context,
          std::unique_ptr<LibraryKernel> kernel)
      : kernel_(std::move(kernel)), threads_(context.threads), inputs_(node.inputs.size()) {
    for (const ir::ValueId v : node.inputs) add(graph.spec(v));
    for (const ir::ValueId v : node.outputs) add(graph.spec(v));
    wide_.resize(values_.size());
  }

  void run(void* const* buffers) override {
    for (size_t i = 0; i < values_.size(); ++i) {
      const Value& value = values_[i];
      if (!is_half(value.dtype)) {
        wide_[i] = buffers[i];
        continue;
      }
      wide_[i] = scratch_ + value.offset;
      if (i < inputs_) {
        to_float32(value.dtype, buffers[i], reinterpret_cast<float*>(scratch_ + value.offset),
                   value.count, threads_);
      }
    }
    kernel_->run(wide_.data());
    for (size_t i = inputs_; i < values_.size(); ++i) {
      const Value& value = values_[i];
      if (!is_half(value.dtype)) continue;
      from_float32(value.dtype, reinterpret_cast<const float*>(scratch_ + value.offset), buffers[i],
                   value.count, threads_);
    }
  }
  size_t scratch_bytes() const override { return layout_.bytes() + kernel_->scratch_bytes(); }
  void set_scratch(void* memory) override {
    scratch_ = static_cast<char*>(memory);
    kernel_->set_scratch(scratch_ + layout_.bytes());
  }
  bool starts_threads() const override { return kernel_->starts_threads(); }
  const char* name() const override { return kernel_->name(); }

 private:
  struct Value {
    DType dtype;
    int64_t count;
    size_t offset;  // of the float32 copy in the scratch buffer
  };
  void add(const TensorSpec& spec) {
    const int64_t count = spec.shape.num_elements();
    const size_t bytes = is_half(spec.dtype) ? static_cast<size_t>(count) * sizeof(float) : 0;
    values_.push_back({spec.dtype, count, layout_.add(bytes)});
  }

  std::unique_ptr<LibraryKernel> kernel_;
  int threads_;
  size_t inputs_;
  std::vector<Value> values_;
  std::vector<void*> wide_;
  ScratchLayout layout_;
  char* scratch_ = nullptr;
};

TensorSpec widen(TensorSpec spec) {
  if (is_half(spec.dtype)) spec.dtype = DType::float32;
  return spec;
}

}  // namespace

std::unique_ptr<LibraryKernel> make_widened(const ir::Graph& graph, const ir::Node& node,
                                            const KernelContext& context, MakeKernel make,
                                            std::string* refusal) {
  ir::Graph wide;
  std::vector<ir::ValueId> inputs;
  std::vector<TensorSpec> outputs;
  for (const ir::ValueId v : node.inputs) inputs.push_back(wide.add_input(widen(graph.spec(v))));
  for (const ir::ValueId v : node.outputs) outputs.push_back(widen(graph.spec(v)));
  const std::vector<ir::ValueId> results =
      wide.add_node(*node.op, std::move(inputs), node.attrs, node.regions, std::move(outputs));
  for (size_t i = 0; i < results.size(); ++i) {
    if (is_read(graph, node.outputs[i])) wide.outputs.push_back(results[i]);
  }
  auto kernel = make(wide, wide.nodes.front(), context, refusal);
  if (kernel == nullptr) return nullptr;
  return std::make_unique<Widened>(graph, node, context, std::move(kernel));
}

}  // namespace antler::runtime
