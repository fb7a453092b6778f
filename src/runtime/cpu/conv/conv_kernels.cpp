#include <algorithm>
#include <memory>
#include <string>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/conv_op.h"
#include "runtime/cpu/conv/depthwise.h"
#include "runtime/cpu/conv/direct_conv.h"
#include "runtime/cpu/conv/direct_filter_grad.h"
#include "runtime/cpu/conv/narrow_conv.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/gemm/split_k_gemm.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/widened.h"

namespace antler::runtime {
namespace {

/// Makes a kernel of an engine that has run(first, second, result, scratch).
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

/// A 1 x 1 convolution of stride 1 is a matrix product over all pixels.
bool is_pointwise(const ops::ConvGeometry& g) {
  return g.groups == 1 && std::all_of(g.dims.begin(), g.dims.end(), [](const auto& d) {
           return d.kernel == 1 && d.stride == 1 && d.pad_low == 0 && d.lhs_dilation == 1 &&
                  d.input == d.output;
         });
}

/// y = x w, dx = dy w^T or dw = x^T dy, with x: [pixels, c_in], w: [c_in, c_out].
template <class T>
GemmBlock<T> pointwise(const ops::ConvGeometry& g, ConvOp op) {
  const int64_t pixels = g.batch * g.dims[0].input * g.dims[1].input * g.dims[2].input;
  const int64_t in = g.group_inputs;
  const int64_t out = g.group_outputs;
  GemmBlock<T> block;
  switch (op) {
    case ConvOp::forward:
      block = {.m = pixels,
               .n = out,
               .k = in,
               .a_row_stride = in,
               .a_col_stride = 1,
               .b_row_stride = out,
               .b_col_stride = 1};
      break;
    case ConvOp::input_grad:
      block = {.m = pixels,
               .n = in,
               .k = out,
               .a_row_stride = out,
               .a_col_stride = 1,
               .b_row_stride = 1,
               .b_col_stride = out};
      break;
    case ConvOp::filter_grad:
      block = {.m = in,
               .n = out,
               .k = pixels,
               .a_row_stride = 1,
               .a_col_stride = in,
               .b_row_stride = out,
               .b_col_stride = 1};
      break;
  }
  block.c_row_stride = block.n;
  return block;
}

/// Whether each group has one input and one output channel. The filter gradient also needs rows of
/// x that are not dilated.
bool is_depthwise(const ops::ConvGeometry& g) {
  return g.group_inputs == 1 && g.group_outputs == 1 && g.groups > 1 && g.dims[2].lhs_dilation == 1;
}

template <class T>
std::unique_ptr<LibraryKernel> make_typed(const ops::ConvGeometry& g, ConvOp op, int threads) {
  if (is_pointwise(g)) {
    const GemmBlock<T> block = pointwise<T>(g, op);
    if (SplitKGemm<T>::accepts(block)) {
      return std::make_unique<ConvKernel<SplitKGemm<T>, T>>(SplitKGemm<T>(block, threads),
                                                            "conv by split-k gemm");
    }
    return std::make_unique<ConvKernel<Gemm<T>, T>>(Gemm<T>(block, {}, threads), "conv by gemm");
  }
  if (is_depthwise(g)) {
    using Engine = DepthwiseConv<T>;
    return std::make_unique<ConvKernel<Engine, T>>(Engine(g, op, threads), "depthwise conv");
  }
  if (op == ConvOp::filter_grad) {
    using Engine = DirectFilterGrad<T>;
    return std::make_unique<ConvKernel<Engine, T>>(Engine(g, threads), "direct filter gradient");
  }
  using Engine = DirectConv<T>;
  return std::make_unique<ConvKernel<Engine, T>>(Engine(g, op, threads), "direct conv");
}

template <ConvOp op>
std::unique_ptr<LibraryKernel> make_direct(const ir::Graph& graph, const ir::Node& node,
                                           const KernelContext& context, std::string* refusal) {
  const DType dtype = output_spec(graph, node).dtype;
  if (dtype_size(dtype) == 2) {
    return make_widened(graph, node, context, make_direct<op>, refusal);
  }
  const ConvShapes shapes = conv_shapes(graph, node, op);
  const ops::ConvGeometry geometry(shapes.x, shapes.w, node.attrs);
  if (dtype == DType::float64) return make_typed<double>(geometry, op, context.threads);
  return make_typed<float>(geometry, op, context.threads);
}

/// op: forward or filter_grad.
template <template <class> class Engine, ConvOp op>
std::unique_ptr<LibraryKernel> make_narrow(const ir::Graph& graph, const ir::Node& node,
                                           const KernelContext& context, std::string* refusal) {
  const ConvShapes shapes = conv_shapes(graph, node, op);
  const ops::ConvGeometry geometry(shapes.x, shapes.w, node.attrs);
  if (!NarrowGeometry::accepts(geometry)) {
    return refuse(refusal, "not a convolution to few channels");
  }
  const DType dtype = output_spec(graph, node).dtype;
  if (dtype == DType::float32) {
    return std::make_unique<ConvKernel<Engine<float>, float>>(
        Engine<float>(geometry, context.threads), "narrow conv");
  }
  if (dtype == DType::float64) {
    return std::make_unique<ConvKernel<Engine<double>, double>>(
        Engine<double>(geometry, context.threads), "narrow conv");
  }
  return refuse(refusal, "dtype is not float32 or float64");
}

template <ConvOp op>
std::unique_ptr<LibraryKernel> make_winograd(const ir::Graph& graph, const ir::Node& node,
                                             const KernelContext& context, std::string* refusal) {
  if (output_spec(graph, node).dtype != DType::float32) return refuse(refusal, "only float32");
  const ConvShapes shapes = conv_shapes(graph, node, op);
  const ops::ConvGeometry geometry(shapes.x, shapes.w, node.attrs);
  if (!WinogradGeometry::accepts(geometry, op)) {
    return refuse(refusal, WinogradGeometry::kRefusal);
  }
  if constexpr (op == ConvOp::filter_grad) {
    return std::make_unique<ConvKernel<WinogradFilterGrad, float>>(
        WinogradFilterGrad(geometry, context.threads), "winograd filter gradient");
  } else {
    return std::make_unique<ConvKernel<WinogradConv, float>>(
        WinogradConv(geometry, op, context.threads), "winograd conv");
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
