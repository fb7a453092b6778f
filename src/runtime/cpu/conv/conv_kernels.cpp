#include <algorithm>
#include <memory>
#include <string>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/depthwise.h"
#include "runtime/cpu/conv/direct_conv.h"
#include "runtime/cpu/conv/direct_filter_grad.h"
#include "runtime/cpu/conv/narrow_conv.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/gemm/deep_gemm.h"
#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/widened.h"

namespace antler::runtime {
namespace {

enum class ConvOp { forward, input_grad, filter_grad };

/// Any engine with run(first, second, result, scratch).
template <class Engine, class T>
class ConvKernel final : public LibraryKernel {
 public:
  ConvKernel(Engine engine, const char* name) : engine_(std::move(engine)), name_(name) {}
  void run(void* const* buffers) override {
    engine_.run(static_cast<const T*>(buffers[0]), static_cast<const T*>(buffers[1]),
                static_cast<T*>(buffers[2]), scratch_);
  }
  size_t scratch_bytes() const override { return engine_.scratch_bytes(); }
  void set_scratch(void* memory) override { scratch_ = memory; }
  const char* name() const override { return name_; }

 private:
  Engine engine_;
  const char* name_;
  void* scratch_ = nullptr;
};

/// A 1 x 1 kernel that moves by one is a matrix product of all pixels at once.
bool is_pointwise(const ops::ConvGeometry& g) {
  return g.groups == 1 && std::all_of(g.dims.begin(), g.dims.end(), [](const auto& d) {
           return d.kernel == 1 && d.stride == 1 && d.pad_low == 0 && d.lhs_dilation == 1 &&
                  d.input == d.output;
         });
}

/// [pixels, c_in] [c_in, c_out]; dy [pixels, c_out] w' [c_out, c_in]; x' [c_in, pixels] dy.
template <class T>
GemmBlock<T> pointwise(const ops::ConvGeometry& g, ConvOp op) {
  const int64_t pixels = g.batch * g.dims[0].input * g.dims[1].input * g.dims[2].input;
  const int64_t in = g.group_inputs;
  const int64_t out = g.group_outputs;
  GemmBlock<T> block;
  switch (op) {
    case ConvOp::forward:
      block = {
          .m = pixels, .n = out, .k = in, .a_row = in, .a_column = 1, .b_row = out, .b_column = 1};
      break;
    case ConvOp::input_grad:
      block = {
          .m = pixels, .n = in, .k = out, .a_row = out, .a_column = 1, .b_row = 1, .b_column = out};
      break;
    case ConvOp::filter_grad:
      block = {
          .m = in, .n = out, .k = pixels, .a_row = 1, .a_column = in, .b_row = out, .b_column = 1};
      break;
  }
  block.c_row = block.n;
  return block;
}

/// One input and one output channel in each of many groups. The filter gradient walks along rows of
/// x without holes.
bool is_depthwise(const ops::ConvGeometry& g) {
  return g.group_inputs == 1 && g.group_outputs == 1 && g.groups > 1 && g.dims[2].lhs_dilation == 1;
}

template <class T>
std::unique_ptr<LibraryKernel> make_typed(const ops::ConvGeometry& g, ConvOp op, int threads) {
  if (is_pointwise(g)) {
    const GemmBlock<T> block = pointwise<T>(g, op);
    if (DeepGemm<T>::serves(block)) {
      return std::make_unique<ConvKernel<DeepGemm<T>, T>>(DeepGemm<T>(block, threads),
                                                          "conv by deep gemm");
    }
    return std::make_unique<ConvKernel<Gemm<T>, T>>(Gemm<T>(block, {}, threads), "conv by gemm");
  }
  if (is_depthwise(g)) {
    using Engine = DepthwiseConv<T>;
    const auto result = op == ConvOp::forward      ? Engine::Result::output
                        : op == ConvOp::input_grad ? Engine::Result::input_grad
                                                   : Engine::Result::filter_grad;
    return std::make_unique<ConvKernel<Engine, T>>(Engine(g, result, threads), "depthwise conv");
  }
  if (op == ConvOp::filter_grad) {
    using Engine = DirectFilterGrad<T>;
    return std::make_unique<ConvKernel<Engine, T>>(Engine(g, threads), "direct filter gradient");
  }
  using Engine = DirectConv<T>;
  const auto direction =
      op == ConvOp::forward ? Engine::Direction::forward : Engine::Direction::input_grad;
  return std::make_unique<ConvKernel<Engine, T>>(Engine(g, direction, threads), "direct conv");
}

/// Shapes of x and the kernel stand at different places in the three ops.
template <ConvOp op>
std::unique_ptr<LibraryKernel> make_direct(const ir::Graph& graph, const ir::Node& node,
                                           const KernelContext& context, std::string* refusal) {
  const TensorSpec& first = input_spec(graph, node, 0);
  const TensorSpec& second = input_spec(graph, node, 1);
  const TensorSpec& result = output_spec(graph, node);
  if (dtype_size(first.dtype) == 2) {
    return make_widened(graph, node, context, make_direct<op>, refusal);
  }
  const Shape& x = op == ConvOp::input_grad ? result.shape : first.shape;
  const Shape& w = op == ConvOp::filter_grad ? result.shape : second.shape;
  const ops::ConvGeometry geometry(x, w, node.attrs);
  if (first.dtype == DType::float64) return make_typed<double>(geometry, op, context.threads);
  return make_typed<float>(geometry, op, context.threads);
}

/// The forward pass or the filter gradient of a convolution to few channels.
template <template <class> class Engine, ConvOp op>
std::unique_ptr<LibraryKernel> make_narrow(const ir::Graph& graph, const ir::Node& node,
                                           const KernelContext& context, std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& w =
      op == ConvOp::filter_grad ? output_spec(graph, node).shape : input_spec(graph, node, 1).shape;
  const ops::ConvGeometry geometry(x.shape, w, node.attrs);
  if (!NarrowGeometry::serves(geometry))
    return refuse(refusal, "not a convolution to few channels");
  if (x.dtype == DType::float32) {
    return std::make_unique<ConvKernel<Engine<float>, float>>(
        Engine<float>(geometry, context.threads), "narrow conv");
  }
  if (x.dtype == DType::float64) {
    return std::make_unique<ConvKernel<Engine<double>, double>>(
        Engine<double>(geometry, context.threads), "narrow conv");
  }
  return refuse(refusal, "operands are neither float32 nor float64");
}

/// Kernels of 3 x 3 taps over enough channels.
template <ConvOp op>
std::unique_ptr<LibraryKernel> make_winograd(const ir::Graph& graph, const ir::Node& node,
                                             const KernelContext& context, std::string* refusal) {
  const TensorSpec& first = input_spec(graph, node, 0);
  const TensorSpec& second = input_spec(graph, node, 1);
  const TensorSpec& result = output_spec(graph, node);
  if (first.dtype != DType::float32) return refuse(refusal, "operands are not float32");
  const Shape& x = op == ConvOp::input_grad ? result.shape : first.shape;
  const Shape& w = op == ConvOp::filter_grad ? result.shape : second.shape;
  const ops::ConvGeometry geometry(x, w, node.attrs);
  using Result = WinogradGeometry::Result;
  constexpr Result kResult = op == ConvOp::forward      ? Result::output
                             : op == ConvOp::input_grad ? Result::input_grad
                                                        : Result::filter_grad;
  if (!WinogradGeometry::serves(geometry, kResult)) {
    return refuse(refusal, "no large convolution with a kernel of 3 x 3 that moves by one");
  }
  if constexpr (op == ConvOp::filter_grad) {
    return std::make_unique<ConvKernel<WinogradFilterGrad, float>>(
        WinogradFilterGrad(geometry, context.threads), "winograd filter gradient");
  } else {
    return std::make_unique<ConvKernel<WinogradConv, float>>(
        WinogradConv(geometry, kResult, context.threads), "winograd conv");
  }
}

}  // namespace

CandidateSpan conv_kernels() {
  static constexpr Candidate kKernels[] = {{"narrow", make_narrow<NarrowConv, ConvOp::forward>},
                                           {"winograd", make_winograd<ConvOp::forward>},
                                           {"onednn", make_onednn_conv},
                                           {"direct", make_direct<ConvOp::forward>}};
  return kKernels;
}

CandidateSpan conv_input_grad_kernels() {
  static constexpr Candidate kKernels[] = {{"winograd", make_winograd<ConvOp::input_grad>},
                                           {"onednn", make_onednn_conv_input_grad},
                                           {"direct", make_direct<ConvOp::input_grad>}};
  return kKernels;
}

CandidateSpan conv_filter_grad_kernels() {
  static constexpr Candidate kKernels[] = {
      {"narrow", make_narrow<NarrowFilterGrad, ConvOp::filter_grad>},
      {"winograd", make_winograd<ConvOp::filter_grad>},
      {"onednn", make_onednn_conv_filter_grad},
      {"direct", make_direct<ConvOp::filter_grad>}};
  return kKernels;
}

}  // namespace antler::runtime
