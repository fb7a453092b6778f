#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "ops/nn/conv_geometry.h"
#include "ops/nn/conv_pool.h"
#include "runtime/cpu/conv/shallow_conv.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/widened.h"
#include "runtime/cpu/window/window_geometry.h"
#include "runtime/cpu/window/window_loops.h"

namespace antler::runtime {
namespace {

class PoolScatter final : public LibraryKernel {
 public:
  PoolScatter(const WindowGeometry& geometry, int threads) : geometry_(geometry) {
    const auto& [d0, d1, d2] = geometry.dims;
    covered_ = d0.is_covered() && d1.is_covered() && d2.is_covered();
    threads_ = threads_for_bytes(threads, geometry.batch * geometry.in_image() * 4);
  }

  void run(void* const* buffers) override {
    const auto* index = static_cast<const uint8_t*>(buffers[0]);
    const auto* dy = static_cast<const float*>(buffers[1]);
    auto* dx = static_cast<float*>(buffers[2]);
    const int64_t image = geometry_.in_image();
    parallel_ranges(threads_, geometry_.batch, [&](int64_t begin, int64_t end, int worker) {
      if (!covered_) {
        std::memset(dx + begin * image, 0,
                    static_cast<size_t>((end - begin) * image) * sizeof(float));
      }
      const int64_t rows = geometry_.rows_of_image();
      geometry_.for_each_run_of_rows(
          begin * rows, end * rows, offsets_ + worker * geometry_.taps(),
          [&](int64_t first, const int64_t* at, int64_t count, int64_t result, int64_t windows) {
            pool_scatter_loop(geometry_.run(at, count, windows), index + result, dy + result,
                              dx + first);
          });
    });
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(geometry_.taps() * threads_) * sizeof(int64_t);
  }
  void set_scratch(void* memory) override { offsets_ = static_cast<int64_t*>(memory); }
  const char* name() const override { return "pool gradient"; }

 private:
  WindowGeometry geometry_;
  bool covered_ = false;
  int threads_ = 1;
  int64_t* offsets_ = nullptr;  // taps() numbers per thread
};

class ShallowFilterGradKernel final : public LibraryKernel {
 public:
  ShallowFilterGradKernel(const ops::ConvGeometry& geometry, int threads)
      : grad_(geometry, threads) {}

  void run(void* const* buffers) override {
    grad_.run(static_cast<const float*>(buffers[0]), static_cast<const uint8_t*>(buffers[1]),
              static_cast<const float*>(buffers[2]), static_cast<float*>(buffers[3]), scratch_);
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(grad_.scratch_size()) * sizeof(float);
  }
  void set_scratch(void* memory) override { scratch_ = static_cast<float*>(memory); }
  const char* name() const override { return "shallow filter gradient"; }

 private:
  ShallowFilterGrad grad_;
  float* scratch_ = nullptr;
};

std::unique_ptr<LibraryKernel> make_shallow_filter_grad(const ir::Graph& graph,
                                                        const ir::Node& node,
                                                        const KernelContext& context,
                                                        std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& w = output_spec(graph, node).shape;
  if (dtype_size(x.dtype) == 2) {
    return make_widened(graph, node, context, make_shallow_filter_grad, refusal);
  }
  if (x.dtype != DType::float32) return refuse(refusal, "only float32");
  if (input_spec(graph, node, 1).shape.num_elements() == 0)
    return refuse(refusal, "the result is empty");
  const ops::ConvGeometry geometry(x.shape, w, node.attrs);
  if (!ShallowFilterGrad::accepts(geometry, ops::pool_attrs(node.attrs))) {
    return refuse(refusal, ShallowGeometry::kRefusal);
  }
  return std::make_unique<ShallowFilterGradKernel>(geometry, context.threads);
}

std::unique_ptr<LibraryKernel> make_pool_scatter(const ir::Graph& graph, const ir::Node& node,
                                                 const KernelContext& context,
                                                 std::string* refusal) {
  const TensorSpec& dx = output_spec(graph, node);
  if (dtype_size(dx.dtype) == 2) {
    return make_widened(graph, node, context, make_pool_scatter, refusal);
  }
  if (dx.dtype != DType::float32) return refuse(refusal, "only float32");
  const auto geometry =
      WindowGeometry::of(dx.shape, input_spec(graph, node, 0).shape, ops::pool_attrs(node.attrs));
  if (!geometry) return refuse(refusal, "more than three windowed dimensions");
  return std::make_unique<PoolScatter>(*geometry, context.threads);
}

}  // namespace

CandidateSpan conv_pool_filter_grad_kernels() {
  static constexpr Candidate kKernels[] = {{"shallow", make_shallow_filter_grad}};
  return kKernels;
}

CandidateSpan pool_scatter_kernels() {
  static constexpr Candidate kKernels[] = {{"pool gradient", make_pool_scatter}};
  return kKernels;
}

}  // namespace antler::runtime
