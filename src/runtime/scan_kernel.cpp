#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/split_rows.h"
#include "runtime/cpu/parallel.h"
#include "runtime/instance.h"
#include "runtime/region_parts.h"

// The body of a scan is compiled to a plan, which runs once per step. If the rows of the batch are
// independent, each thread takes some rows through all steps: one parallel region for the whole
// loop instead of one per kernel of the body. Steps without carries are independent, too: if the
// scan is marked `in_steps`, each thread runs some of the steps.
namespace antler::runtime {
namespace {

class ScanKernel final : public LibraryKernel {
 public:
  ScanKernel(const ir::Graph& graph, const ir::Node& node, const KernelContext& context)
      : num_carry_(static_cast<size_t>(node.attrs.integer("num_carry"))),
        num_xs_(static_cast<size_t>(node.attrs.integer("num_xs"))),
        length_(node.attrs.integer("length")),
        reverse_(node.attrs.flag("reverse")),
        inputs_(node.inputs.size()),
        outputs_(node.outputs.size()),
        threads_(context.threads) {
    const ir::Graph& whole = *node.regions[0];
    for (ir::ValueId v : whole.inputs) input_bytes_.push_back(bytes_of(whole.spec(v)));
    for (ir::ValueId v : whole.outputs) output_bytes_.push_back(bytes_of(whole.spec(v)));
    const std::vector<TensorSpec> carried =
        specs_of(graph, std::span(node.inputs).first(num_carry_));
    if (num_carry_ == 0 && length_ > 1 && node.attrs.has("in_steps")) {
      parallel_steps_ = true;
      const auto plan = compile_region_plan(whole, {1, context.deterministic});
      for (int64_t p = 0; p < std::min<int64_t>(threads_, length_); ++p) {
        parts_.push_back({std::make_unique<Instance>(plan), Carry({})});
      }
      return;
    }
    const int64_t count = compiler::row_parts(whole, num_carry_, length_);
    if (count > 1) {
      split_ = compiler::split_rows(whole, num_carry_, num_carry_ + num_xs_,
                                    compiler::carried_rows(whole, num_carry_), count);
    }
    if (!split_) {
      parts_.push_back({compile_region(whole, context), Carry(carried)});
      return;
    }
    const auto plan = compile_region_plan(split_->body, {1, context.deterministic});
    const auto part_carries =
        specs_of(split_->body, std::span(split_->body.inputs).first(num_carry_));
    for (int64_t p = 0; p < count; ++p) {
      parts_.push_back({std::make_unique<Instance>(plan), Carry(part_carries)});
    }
  }

  void run(void* const* buffers) override {
    if (parallel_steps_) {
      parallel_ranges(static_cast<int>(parts_.size()), length_,
                      [&](int64_t begin, int64_t end, int worker) {
                        run_steps(static_cast<size_t>(worker), buffers, begin, end);
                      });
      return;
    }
    parallel_ranges(threads_, static_cast<int64_t>(parts_.size()), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) run_part(static_cast<size_t>(p), buffers);
    });
  }
  int64_t own_bytes() const override {
    int64_t bytes = 0;
    for (const Part& part : parts_) bytes += part.body->own_bytes() + part.carry.own_bytes();
    return bytes;
  }
  bool starts_threads() const override { return parts_[0].body->starts_threads(); }
  const char* name() const override {
    return split_ ? "scan, parallel rows" : parallel_steps_ ? "scan, parallel steps" : "scan";
  }

 private:
  struct Part {
    std::unique_ptr<Instance> body;
    Carry carry;
  };

  /// Start of part p's rows in an input or output of the body.
  char* input_at(size_t p, size_t i, void* base) const {
    const bool cut = split_ && split_->input_is_cut[i] != 0;
    return static_cast<char*>(base) + (cut ? input_bytes_[i] / parts_.size() * p : 0);
  }
  char* output_at(size_t p, size_t i, void* base) const {
    const bool cut = split_ && split_->output_is_cut[i] != 0;
    return static_cast<char*>(base) + (cut ? output_bytes_[i] / parts_.size() * p : 0);
  }

  void run_part(size_t p, void* const* buffers) {
    Carry& carry = parts_[p].carry;
    for (size_t i = 0; i < num_carry_; ++i) carry.load(i, input_at(p, i, buffers[i]));
    run_steps(p, buffers, 0, length_);
    for (size_t i = 0; i < num_carry_; ++i) {
      const bool cut = split_ && split_->output_is_cut[i] != 0;
      if (cut || p == 0) carry.save(i, output_at(p, i, buffers[inputs_ + i]));
    }
  }

  void run_steps(size_t p, void* const* buffers, int64_t begin, int64_t end) {
    auto& [body, carry] = parts_[p];
    for (size_t i = num_carry_ + num_xs_; i < inputs_; ++i) {
      body->bind_argument(i, input_at(p, i, buffers[i]));
    }
    for (int64_t k = begin; k < end; ++k) {
      const auto t = static_cast<size_t>(reverse_ ? length_ - 1 - k : k);
      carry.bind(*body);
      for (size_t i = num_carry_; i < num_carry_ + num_xs_; ++i) {
        body->bind_argument(i, input_at(p, i, buffers[i]) + t * input_bytes_[i]);
      }
      for (size_t i = num_carry_; i < outputs_; ++i) {
        body->bind_result(i, output_at(p, i, buffers[inputs_ + i]) + t * output_bytes_[i]);
      }
      body->step();
      carry.swap();
    }
  }

  size_t num_carry_;
  size_t num_xs_;
  int64_t length_;
  bool reverse_;
  size_t inputs_;
  size_t outputs_;
  int threads_;
  std::vector<size_t> input_bytes_;  // of one step, all parts together
  std::vector<size_t> output_bytes_;
  bool parallel_steps_ = false;
  std::optional<compiler::RowSplit> split_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<LibraryKernel> make_scan_kernel(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context) {
  return std::make_unique<ScanKernel>(graph, node, context);
}

}  // namespace antler::runtime
