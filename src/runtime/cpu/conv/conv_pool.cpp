#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/nn/conv_geometry.h"
#include "ops/nn/conv_pool.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/conv/direct_conv.h"
#include "runtime/cpu/conv/shallow_conv.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/conv/winograd_transforms.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/widened.h"
#include "runtime/cpu/window/window_geometry.h"
#include "runtime/cpu/window/window_loops.h"

namespace antler::runtime {
namespace {

using Direct = DirectConv<float>;

template <class Conv>
constexpr bool kIsWinograd = std::is_same_v<Conv, WinogradConv>;

/// Bands begin at multiples of this many pooled rows. Rounding in Winograd depends on where tiles
/// begin, so tiles must not move with the number of bands.
template <class Conv>
int64_t band_alignment(int64_t pool_stride) {
  return kIsWinograd<Conv> ? kWinogradTile / std::gcd(kWinogradTile, pool_stride) : 1;
}

/// A range of rows of a pooled image and the rows of x that they read, treated as a small image.
template <class Conv>
struct Band {
  Conv conv;
  WindowGeometry pool;
  int64_t in_offset = 0;   // in an image of x
  int64_t out_offset = 0;  // in a pooled image
  int64_t image_size = 0;  // elements of the convolved image
};

template <class Conv>
Band<Conv> band_of(const Shape& x, const Shape& w, const Shape& pooled, const ir::Attrs& attrs,
                   int64_t begin, int64_t end, int threads) {
  const auto rows = [](const Shape& whole, int64_t count) {
    Shape part = whole;
    part[0] = 1;
    part[1] = count;
    return part;
  };
  const int64_t pool_stride = attrs.ints("pool_strides")[1];
  const int64_t first = begin * pool_stride;
  const int64_t last = (end - 1) * pool_stride + attrs.ints("pool_window")[1] - 1;
  const int64_t stride = attrs.ints("strides")[0];
  const int64_t extent = (w[0] - 1) * attrs.ints("rhs_dilation")[0];
  ir::Ints low = attrs.ints("pad_low");
  ir::Ints high = attrs.ints("pad_high");
  // Rows of x, including padding.
  const int64_t top = first * stride - low[0];
  const int64_t bottom = last * stride - low[0] + extent + 1;
  low[0] = std::max<int64_t>(-top, 0);
  high[0] = std::max<int64_t>(bottom - x[1], 0);
  const int64_t from = std::max<int64_t>(top, 0);
  // Do not convolve columns beyond the last window.
  if (x.rank() == 4 && attrs.ints("lhs_dilation")[1] == 1) {
    const int64_t columns =
        (pooled[2] - 1) * attrs.ints("pool_strides")[2] + attrs.ints("pool_window")[2];
    high[1] = (columns - 1) * attrs.ints("strides")[1] +
              (w[1] - 1) * attrs.ints("rhs_dilation")[1] + 1 - low[1] - x[2];
  }
  ir::Attrs own = attrs;
  own.set("pad_low", low);
  own.set("pad_high", high);
  const Shape in = rows(x, std::min(bottom, x[1]) - from);
  const Shape out = rows(pooled, end - begin);
  const Shape image = ops::conv_output_shape("conv_relu_pool", in, w, own);
  return {.conv = Conv(ops::ConvGeometry(in, w, own), ConvOp::forward, threads),
          .pool = *WindowGeometry::of(image, out, ops::pool_attrs(own)),
          .in_offset = from * (in.num_elements() / in[1]),
          .out_offset = begin * (out.num_elements() / out[1]),
          .image_size = image.num_elements()};
}

/// conv_relu_pool: convolves an image into the thread's workspace and pools it from there. If there
/// are fewer images than threads, it works on bands of an image. oneDNN does not fuse pools into
/// convolutions.
template <class Conv>
class ConvReluPool final : public LibraryKernel {
 public:
  ConvReluPool(const Shape& x, const Shape& w, const Shape& pooled, const ir::Attrs& attrs,
               bool wants_index, int threads)
      : wants_index_(wants_index),
        batch_(x[0]),
        in_size_(x.num_elements() / x[0]),
        out_size_(pooled.num_elements() / pooled[0]) {
    const Shape image = ops::conv_output_shape("conv_relu_pool", x, w, attrs);
    threads_ = threads_for_work(
        threads, image.num_elements() * w.num_elements() / std::max<int64_t>(w.back(), 1));
    // With gaps between windows, bands would not end at tile borders.
    const bool has_gaps = attrs.ints("pool_strides")[1] != attrs.ints("pool_window")[1];
    const bool whole =
        batch_ >= threads_ || attrs.ints("lhs_dilation")[0] != 1 || (kIsWinograd<Conv> && has_gaps);
    int64_t image_size = 0;
    const int64_t bands = whole ? 1 : std::min<int64_t>(threads_, pooled[1]);
    const int64_t multiple = band_alignment<Conv>(attrs.ints("pool_strides")[1]);
    int64_t begin = 0;
    for (int64_t i = 1; i <= bands; ++i) {
      const int64_t end = i == bands ? pooled[1] : pooled[1] * i / bands / multiple * multiple;
      if (end == begin) continue;
      bands_.push_back(band_of<Conv>(x, w, pooled, attrs, begin, end, threads));
      begin = end;
      const Band<Conv>& band = bands_.back();
      image_offset_ = std::max(image_offset_, pad_to_cache_line(band.conv.workspace_size()));
      image_size = std::max(image_size, pad_to_cache_line(band.image_size));
    }
    taps_offset_ = image_offset_ + image_size;
    per_thread_ = taps_offset_ + pad_to_cache_line(2 * bands_[0].pool.taps());
  }

  void run(void* const* buffers) override {
    const auto* x = static_cast<const float*>(buffers[0]);
    const auto* bias = static_cast<const float*>(buffers[2]);
    auto* pooled = static_cast<float*>(buffers[3]);
    auto* index = wants_index_ ? static_cast<uint8_t*>(buffers[4]) : nullptr;
    // Packed weights are the same for all bands.
    const Conv& first_conv = bands_[0].conv;
    const auto* const weights = static_cast<const float*>(buffers[1]);
    if constexpr (kIsWinograd<Conv>) {
      first_conv.pack(weights, scratch_, scratch_ + first_conv.packed_size());
    } else {
      first_conv.pack(weights, scratch_);
    }
    const auto bands = static_cast<int64_t>(bands_.size());
    parallel_each(threads_, batch_ * bands, [&](int64_t i, int worker) {
      float* const own = scratch_ + first_conv.packed_size() + worker * per_thread_;
      float* const image = own + image_offset_;
      auto* const offsets = reinterpret_cast<int64_t*>(own + taps_offset_);
      const Band<Conv>& band = bands_[static_cast<size_t>(i % bands)];
      const int64_t out = i / bands * out_size_ + band.out_offset;
      band.conv.run_packed(x + i / bands * in_size_ + band.in_offset, scratch_, image, own);
      band.pool.for_each_run_of_rows(
          0, band.pool.rows(), offsets,
          [&](int64_t first, const int64_t* at, int64_t count, int64_t result, int64_t windows) {
            relu_pool_loop(band.pool.run(at, count, windows), image + first, bias,
                           pooled + out + result,
                           index == nullptr ? nullptr : index + out + result);
          });
    });
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(bands_[0].conv.packed_size() + per_thread_ * threads_) *
           sizeof(float);
  }
  void set_scratch(void* memory) override { scratch_ = static_cast<float*>(memory); }
  const char* name() const override {
    return kIsWinograd<Conv> ? "winograd conv and pool" : "direct conv and pool";
  }

 private:
  std::vector<Band<Conv>> bands_;  // of an image
  bool wants_index_;
  int64_t batch_;
  int64_t in_size_;   // elements of an image of x
  int64_t out_size_;  // elements of a pooled image
  // A thread's memory, in elements: workspace of the convolution, convolved image, tap offsets.
  int64_t image_offset_ = 0;
  int64_t taps_offset_ = 0;
  int64_t per_thread_ = 0;
  int threads_ = 1;
  float* scratch_ = nullptr;
};

class ShallowConvPoolKernel final : public LibraryKernel {
 public:
  ShallowConvPoolKernel(const ops::ConvGeometry& geometry, bool wants_index, int threads)
      : conv_(geometry, threads), wants_index_(wants_index) {}

  void run(void* const* buffers) override {
    conv_.run(static_cast<const float*>(buffers[0]), static_cast<const float*>(buffers[1]),
              static_cast<const float*>(buffers[2]), static_cast<float*>(buffers[3]),
              wants_index_ ? static_cast<uint8_t*>(buffers[4]) : nullptr, scratch_);
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(conv_.scratch_size()) * sizeof(float);
  }
  void set_scratch(void* memory) override { scratch_ = static_cast<float*>(memory); }
  const char* name() const override { return "shallow conv and pool"; }

 private:
  ShallowConvPool conv_;
  bool wants_index_;
  float* scratch_ = nullptr;
};

template <class Conv>
std::unique_ptr<LibraryKernel> make_conv_relu_pool(const ir::Graph& graph, const ir::Node& node,
                                                   const KernelContext& context,
                                                   std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& pooled = output_spec(graph, node).shape;
  if (x.dtype != DType::float32) return refuse(refusal, "only float32");
  if (pooled.num_elements() == 0) return refuse(refusal, "the result is empty");
  const Shape& w = input_spec(graph, node, 1).shape;
  if (kIsWinograd<Conv> &&
      !WinogradGeometry::accepts(ops::ConvGeometry(x.shape, w, node.attrs), ConvOp::forward)) {
    return refuse(refusal, WinogradGeometry::kRefusal);
  }
  return std::make_unique<ConvReluPool<Conv>>(x.shape, w, pooled, node.attrs,
                                              is_read(graph, node.outputs[1]), context.threads);
}

std::unique_ptr<LibraryKernel> make_shallow(const ir::Graph& graph, const ir::Node& node,
                                            const KernelContext& context, std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& w = input_spec(graph, node, 1).shape;
  if (dtype_size(x.dtype) == 2) {
    return make_widened(graph, node, context, make_shallow, refusal);
  }
  if (x.dtype != DType::float32) return refuse(refusal, "only float32");
  if (output_spec(graph, node).shape.num_elements() == 0)
    return refuse(refusal, "the result is empty");
  const ops::ConvGeometry geometry(x.shape, w, node.attrs);
  if (!ShallowGeometry::accepts(geometry, ops::pool_attrs(node.attrs))) {
    return refuse(refusal, ShallowGeometry::kRefusal);
  }
  return std::make_unique<ShallowConvPoolKernel>(geometry, is_read(graph, node.outputs[1]),
                                                 context.threads);
}

}  // namespace

CandidateSpan conv_relu_pool_kernels() {
  static constexpr Candidate kKernels[] = {{"winograd", make_conv_relu_pool<WinogradConv>},
                                           {"shallow", make_shallow},
                                           {"direct", make_conv_relu_pool<Direct>}};
  return kKernels;
}

}  // namespace antler::runtime
