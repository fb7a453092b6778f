#include <algorithm>
#include <memory>
#include <string>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/onednn/onednn.h"

namespace antler::runtime {
namespace {

using dnnl::memory;
using Dims = memory::dims;

// Multiply-adds below which the time to make a primitive is never won back.
constexpr int64_t kSmallConvolution = 256 << 10;

// Channels of one vector.
constexpr int64_t kNarrow = 16;

enum class Direction { forward, input_grad, filter_grad };

/// A convolution in oneDNN's words. Images and results stay as they are, channels last; the filter
/// goes to the layout that the primitive asks for, which is little work against the convolution's.
struct Problem {
  memory::desc x;
  memory::desc y;
  memory::desc plain_filter;
  memory::desc filter;  // any layout
  Dims strides;
  Dims dilations;
  Dims pad_low;
  Dims pad_high;
};

/// Row-major strides of `dims`, dimension 1 innermost: N, spatial..., C.
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

/// Nothing where oneDNN has no words for it.
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
      if (refusal != nullptr) *refusal = "padding or dilation that oneDNN does not have";
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
  OnednnConvolution(const Problem& p, Direction direction, int threads, std::string* refusal)
      : direction_(direction), threads_(threads) {
    using dnnl::algorithm;
    const auto attributes = onednn::caller_scratchpad();
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, algorithm::convolution_direct, p.x, p.filter, p.y,
         p.strides, p.dilations, p.pad_low, p.pad_high},
        attributes, onednn::engine());
    switch (direction) {
      case Direction::forward:
        prepare<dnnl::convolution_forward>(
            forward, p, forward.weights_desc(),
            {{DNNL_ARG_SRC, p.x}, {DNNL_ARG_WEIGHTS, {}}, {DNNL_ARG_DST, p.y}}, refusal);
        break;
      case Direction::input_grad: {
        const dnnl::convolution_backward_data::primitive_desc backward(
            {algorithm::convolution_direct, p.x, p.filter, p.y, p.strides, p.dilations, p.pad_low,
             p.pad_high},
            attributes, onednn::engine(), forward);
        prepare<dnnl::convolution_backward_data>(
            backward, p, backward.weights_desc(),
            {{DNNL_ARG_DIFF_DST, p.y}, {DNNL_ARG_WEIGHTS, {}}, {DNNL_ARG_DIFF_SRC, p.x}}, refusal);
        break;
      }
      case Direction::filter_grad: {
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
  /// False after a refusal.
  bool usable() const { return convolution_.defined(); }

  void run(void* const* buffers) override {
    const onednn::ThreadScope scope(threads_);
    const bool grad = direction_ == Direction::filter_grad;
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
  size_t scratch_bytes() const override { return plan_.bytes(); }
  void set_scratch(void* memory) override {
    char* const base = static_cast<char*>(memory);
    convolution_.set(3, base + scratchpad_at_);
    if (!reorder_.defined()) return;
    convolution_.set(1, base + packed_at_);
    reorder_.set(direction_ == Direction::filter_grad ? 0 : 1, base + packed_at_);
  }
  bool starts_threads() const override { return threads_ > 1; }
  const char* name() const override { return "onednn conv"; }

 private:
  using Arguments = std::vector<std::pair<int, memory::desc>>;

  template <class Primitive>
  void prepare(const typename Primitive::primitive_desc& desc, const Problem& p,
               const memory::desc& packed, Arguments arguments, std::string* refusal) {
    if (!onednn::is_fast(desc.impl_info_str())) {
      if (refusal != nullptr) *refusal = std::string("only has ") + desc.impl_info_str();
      return;
    }
    arguments[1].second = packed;
    arguments.emplace_back(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
    scratchpad_at_ = plan_.add(desc.scratchpad_desc().get_size());
    convolution_ = onednn::Call(Primitive(desc), arguments);
    if (packed == p.plain_filter) return;
    packed_at_ = plan_.add(packed.get_size());
    const bool back = direction_ == Direction::filter_grad;
    const memory::desc& from = back ? packed : p.plain_filter;
    const memory::desc& to = back ? p.plain_filter : packed;
    const dnnl::reorder::primitive_desc reorder(onednn::engine(), from, onednn::engine(), to);
    reorder_ = onednn::Call(dnnl::reorder(reorder), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  Direction direction_;
  int threads_;
  onednn::ScratchPlan plan_;
  size_t scratchpad_at_ = 0;
  size_t packed_at_ = 0;
  onednn::Call convolution_;
  onednn::Call reorder_;
};

template <Direction direction>
std::unique_ptr<LibraryKernel> make(const ir::Graph& graph, const ir::Node& node,
                                    const KernelContext& context, std::string* refusal) {
  const TensorSpec& first = input_spec(graph, node, 0);
  const TensorSpec& second = input_spec(graph, node, 1);
  const TensorSpec& result = output_spec(graph, node);
  const auto type = onednn::data_type(first.dtype);
  if (!type) return refuse(refusal, "only float32 and bfloat16");
  if (context.deterministic) return refuse(refusal, "its sums depend on the number of threads");
  const Shape& x = direction == Direction::input_grad ? result.shape : first.shape;
  const Shape& w = direction == Direction::filter_grad ? result.shape : second.shape;
  const ops::ConvGeometry geometry(x, w, node.attrs);
  const Shape& y = direction == Direction::forward      ? result.shape
                   : direction == Direction::input_grad ? first.shape
                                                        : second.shape;
  if (y.num_elements() * w.num_elements() / std::max<int64_t>(y.back(), 1) < kSmallConvolution) {
    return refuse(refusal, "too small");
  }
  // Our own float32 kernels fill their registers with two vectors of channels and beat the
  // primitives where there are as many.
  const int64_t channels = direction == Direction::input_grad ? x.back() : w.back();
  if (first.dtype == DType::float32 && (direction == Direction::forward || channels > kNarrow)) {
    return refuse(refusal, "our own is as fast");
  }
  const auto problem = describe(geometry, static_cast<size_t>(x.rank() - 2), *type, refusal);
  if (!problem) return nullptr;
  const onednn::ThreadScope scope(context.threads);
  try {
    auto kernel =
        std::make_unique<OnednnConvolution>(*problem, direction, context.threads, refusal);
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
  return make<Direction::forward>(graph, node, context, refusal);
}

std::unique_ptr<LibraryKernel> make_onednn_conv_input_grad(const ir::Graph& graph,
                                                           const ir::Node& node,
                                                           const KernelContext& context,
                                                           std::string* refusal) {
  return make<Direction::input_grad>(graph, node, context, refusal);
}

std::unique_ptr<LibraryKernel> make_onednn_conv_filter_grad(const ir::Graph& graph,
                                                            const ir::Node& node,
                                                            const KernelContext& context,
                                                            std::string* refusal) {
  return make<Direction::filter_grad>(graph, node, context, refusal);
}

}  // namespace antler::runtime
