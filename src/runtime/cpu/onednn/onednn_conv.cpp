#include <algorithm>
#include <memory>
#include <string>

#include "antler/base/format.h"
#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/conv_op.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/onednn/onednn.h"
#include "runtime/cpu/scratch_layout.h"

namespace antler::runtime {
namespace {

using dnnl::memory;
using Dims = memory::dims;

// Multiply-adds below which creating the primitive costs more than it saves.
constexpr int64_t kSmallConvolution = 256 << 10;

constexpr int64_t kLanes = 16;  // floats of an AVX-512 vector

/// A convolution as oneDNN describes it. Images stay channels-last; the filter is reordered to the
/// layout that the primitive chooses, which is cheap compared to the convolution.
struct Problem {
  memory::desc x;
  memory::desc y;
  memory::desc plain_filter;  // our layout
  memory::desc filter;        // format_tag::any
  Dims strides;
  Dims dilations;
  Dims pad_low;
  Dims pad_high;
};

/// Strides of NHWC for dims in the order N, C, spatial...
Dims channels_last(const Dims& dims) {
  Dims strides(dims.size());
  int64_t step = dims[1];
  strides[1] = 1;
  for (size_t d = dims.size() - 1; d >= 2; --d) {
    strides[d] = step;
    step *= dims[d];
  }
  strides[0] = step;
  return strides;
}

/// nullopt if oneDNN cannot express the convolution.
std::optional<Problem> describe(const ops::ConvGeometry& g, size_t spatial, memory::data_type type,
                                std::string* refusal) {
  Problem p;
  Dims x = {g.batch, g.groups * g.group_inputs};
  Dims y = {g.batch, g.groups * g.group_outputs};
  Dims filter = {g.groups, g.group_outputs, g.group_inputs};
  for (size_t i = g.dims.size() - spatial; i < g.dims.size(); ++i) {
    const ops::ConvDimension& d = g.dims[i];
    const int64_t reach = (d.kernel - 1) * d.rhs_dilation + 1;
    const int64_t high = (d.output - 1) * d.stride + reach - d.input - d.pad_low;
    if (d.lhs_dilation != 1 || d.pad_low < 0 || high <= -d.stride || d.input == 0 ||
        d.pad_low >= reach || high >= reach) {
      refuse(refusal, "oneDNN does not have this padding or dilation");
      return std::nullopt;
    }
    x.push_back(d.input);
    y.push_back(d.output);
    filter.push_back(d.kernel);
    p.strides.push_back(d.stride);
    p.dilations.push_back(d.rhs_dilation - 1);
    p.pad_low.push_back(d.pad_low);
    p.pad_high.push_back(std::max<int64_t>(high, 0));
  }
  // [spatial..., group_inputs, groups x group_outputs]
  Dims steps = {g.group_outputs, 1, g.groups * g.group_outputs};
  steps.resize(filter.size());
  int64_t step = steps[2] * g.group_inputs;
  for (size_t d = filter.size() - 1; d >= 3; --d) {
    steps[d] = step;
    step *= filter[d];
  }
  if (g.groups == 1) {
    filter.erase(filter.begin());
    steps.erase(steps.begin());
  }
  p.x = memory::desc(x, type, channels_last(x));
  p.y = memory::desc(y, type, channels_last(y));
  p.plain_filter = memory::desc(filter, type, steps);
  p.filter = memory::desc(filter, type, memory::format_tag::any);
  return p;
}

class OnednnConvolution final : public LibraryKernel {
 public:
  OnednnConvolution(const Problem& p, ConvOp op, int threads, std::string* refusal)
      : op_(op), threads_(threads) {
    using dnnl::algorithm;
    const auto attributes = onednn::user_scratchpad();
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, algorithm::convolution_direct, p.x, p.filter, p.y,
         p.strides, p.dilations, p.pad_low, p.pad_high},
        attributes, onednn::engine());
    switch (op) {
      case ConvOp::forward:
        prepare<dnnl::convolution_forward>(
            forward, p, forward.weights_desc(),
            {{DNNL_ARG_SRC, p.x}, {DNNL_ARG_WEIGHTS, {}}, {DNNL_ARG_DST, p.y}}, refusal);
        break;
      case ConvOp::input_grad: {
        const dnnl::convolution_backward_data::primitive_desc backward(
            {algorithm::convolution_direct, p.x, p.filter, p.y, p.strides, p.dilations, p.pad_low,
             p.pad_high},
            attributes, onednn::engine(), forward);
        prepare<dnnl::convolution_backward_data>(
            backward, p, backward.weights_desc(),
            {{DNNL_ARG_DIFF_DST, p.y}, {DNNL_ARG_WEIGHTS, {}}, {DNNL_ARG_DIFF_SRC, p.x}}, refusal);
        break;
      }
      case ConvOp::filter_grad: {
        const dnnl::convolution_backward_weights::primitive_desc backward(
            {algorithm::convolution_direct, p.x, p.filter, p.y, p.strides, p.dilations, p.pad_low,
             p.pad_high},
            attributes, onednn::engine(), forward);
        prepare<dnnl::convolution_backward_weights>(
            backward, p, backward.diff_weights_desc(),
            {{DNNL_ARG_SRC, p.x}, {DNNL_ARG_DIFF_WEIGHTS, {}}, {DNNL_ARG_DIFF_DST, p.y}}, refusal);
        break;
      }
    }
  }
  /// False if the constructor refused.
  bool usable() const { return convolution_.defined(); }

  void run(void* const* buffers) override {
    const onednn::ThreadScope scope(threads_);
    const bool grad = op_ == ConvOp::filter_grad;
    void* const filter = buffers[grad ? 2 : 1];
    convolution_.set(0, buffers[0]);
    convolution_.set(2, buffers[grad ? 1 : 2]);
    if (!reorder_.defined()) {
      convolution_.set(1, filter);
      convolution_.run();
      return;
    }
    reorder_.set(grad ? 1 : 0, filter);
    if (!grad) reorder_.run();
    convolution_.run();
    if (grad) reorder_.run();
  }
  size_t scratch_bytes() const override { return layout_.bytes(); }
  void set_scratch(void* memory) override {
    char* const base = static_cast<char*>(memory);
    convolution_.set(3, base + scratchpad_offset_);
    if (!reorder_.defined()) return;
    convolution_.set(1, base + filter_offset_);
    reorder_.set(op_ == ConvOp::filter_grad ? 0 : 1, base + filter_offset_);
  }
  bool starts_threads() const override { return threads_ > 1; }
  const char* name() const override { return "onednn conv"; }

 private:
  using Arguments = std::vector<std::pair<int, memory::desc>>;

  template <class Primitive>
  void prepare(const typename Primitive::primitive_desc& desc, const Problem& p,
               const memory::desc& filter, Arguments arguments, std::string* refusal) {
    if (!onednn::is_fast(desc.impl_info_str())) {
      refuse(refusal, format("only has {}", desc.impl_info_str()));
      return;
    }
    arguments[1].second = filter;
    arguments.emplace_back(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
    scratchpad_offset_ = layout_.add(desc.scratchpad_desc().get_size());
    convolution_ = onednn::BoundPrimitive(Primitive(desc), arguments);
    if (filter == p.plain_filter) return;
    filter_offset_ = layout_.add(filter.get_size());
    const bool back = op_ == ConvOp::filter_grad;
    const memory::desc& from = back ? filter : p.plain_filter;
    const memory::desc& to = back ? p.plain_filter : filter;
    const dnnl::reorder::primitive_desc reorder(onednn::engine(), from, onednn::engine(), to);
    reorder_ =
        onednn::BoundPrimitive(dnnl::reorder(reorder), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  ConvOp op_;
  int threads_;
  ScratchLayout layout_;
  size_t scratchpad_offset_ = 0;
  size_t filter_offset_ = 0;
  onednn::BoundPrimitive convolution_;
  onednn::BoundPrimitive reorder_;
};

template <ConvOp op>
std::unique_ptr<LibraryKernel> make(const ir::Graph& graph, const ir::Node& node,
                                    const KernelContext& context, std::string* refusal) {
  const DType dtype = output_spec(graph, node).dtype;
  const auto type = onednn::data_type(dtype);
  if (!type) return refuse(refusal, "only float32 and bfloat16");
  if (context.deterministic) return refuse(refusal, "its sums depend on the number of threads");
  const auto [x, w, y] = conv_shapes(graph, node, op);
  const ops::ConvGeometry geometry(x, w, node.attrs);
  if (y.num_elements() * w.num_elements() / std::max<int64_t>(y.back(), 1) < kSmallConvolution) {
    return refuse(refusal, "too small");
  }
  // Our own float32 kernels use register tiles of two vectors of channels; with more than one
  // vector of channels they are at least as fast.
  const int64_t channels = op == ConvOp::input_grad ? x.back() : w.back();
  if (dtype == DType::float32 && (op == ConvOp::forward || channels > kLanes)) {
    return refuse(refusal, "our own kernels are at least as fast");
  }
  const auto problem = describe(geometry, static_cast<size_t>(x.rank() - 2), *type, refusal);
  if (!problem) return nullptr;
  const onednn::ThreadScope scope(context.threads);
  try {
    auto kernel = std::make_unique<OnednnConvolution>(*problem, op, context.threads, refusal);
    if (!kernel->usable()) return nullptr;
    return kernel;
  } catch (const dnnl::error& error) {
    return refuse(refusal, error.what());
  }
}

}  // namespace

std::unique_ptr<LibraryKernel> make_onednn_conv(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context,
                                                std::string* refusal) {
  return make<ConvOp::forward>(graph, node, context, refusal);
}

std::unique_ptr<LibraryKernel> make_onednn_conv_input_grad(const ir::Graph& graph,
                                                           const ir::Node& node,
                                                           const KernelContext& context,
                                                           std::string* refusal) {
  return make<ConvOp::input_grad>(graph, node, context, refusal);
}

std::unique_ptr<LibraryKernel> make_onednn_conv_filter_grad(const ir::Graph& graph,
                                                            const ir::Node& node,
                                                            const KernelContext& context,
                                                            std::string* refusal) {
  return make<ConvOp::filter_grad>(graph, node, context, refusal);
}

}  // namespace antler::runtime
