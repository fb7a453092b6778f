#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/half.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/widened.h"
#include "runtime/cpu/window/window_geometry.h"
#include "runtime/cpu/window/window_loops.h"

namespace antler::runtime {
namespace {

/// Threads split the rows of windows.
template <class T>
class ReduceWindow final : public LibraryKernel {
 public:
  ReduceWindow(const WindowGeometry& geometry, WindowReduction reduction, int threads)
      : geometry_(geometry), loop_(reduce_window_loop<T>(reduction)) {
    threads_ = threads_for_bytes(
        threads, geometry.batch * geometry.in_image() * static_cast<int64_t>(sizeof(T)));
  }

  void run(void* const* buffers) override {
    const T* x = static_cast<const T*>(buffers[0]);
    T* out = static_cast<T*>(buffers[1]);
    const int64_t taps = geometry_.taps();
    parallel_ranges(threads_, geometry_.rows(), [&](int64_t begin, int64_t end, int worker) {
      geometry_.for_each_window_of_rows(
          begin, end, offsets_ + worker * taps,
          [&](int64_t first, const int64_t* at, int64_t count, int64_t result) {
            loop_(x + first, at, count, out + result, geometry_.channels);
          });
    });
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(geometry_.taps() * threads_) * sizeof(int64_t);
  }
  void set_scratch(void* memory) override { offsets_ = static_cast<int64_t*>(memory); }
  const char* name() const override { return "pool"; }

 private:
  WindowGeometry geometry_;
  ReduceWindowLoop<T> loop_;
  int threads_ = 1;
  int64_t* offsets_ = nullptr;  // taps() numbers per thread
};

std::unique_ptr<LibraryKernel> make_reduce_window(const ir::Graph& graph, const ir::Node& node,
                                                  const KernelContext& context,
                                                  std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  if (x.dtype == DType::float16) {
    return make_widened(graph, node, context, make_reduce_window, refusal);
  }
  const auto geometry = WindowGeometry::of(x.shape, output_spec(graph, node).shape, node.attrs);
  if (!geometry) return refuse(refusal, "more than three windowed dimensions");
  const std::string& op = node.attrs.string("op");
  const WindowReduction reduction = op == "sum"    ? WindowReduction::sum
                                    : op == "prod" ? WindowReduction::prod
                                    : op == "max"  ? WindowReduction::max
                                                   : WindowReduction::min;
  switch (x.dtype) {
    case DType::float32:
      return std::make_unique<ReduceWindow<float>>(*geometry, reduction, context.threads);
    case DType::bfloat16:
      return std::make_unique<ReduceWindow<bfloat16>>(*geometry, reduction, context.threads);
    case DType::float64:
      return std::make_unique<ReduceWindow<double>>(*geometry, reduction, context.threads);
    case DType::int32:
      return std::make_unique<ReduceWindow<int32_t>>(*geometry, reduction, context.threads);
    case DType::int64:
      return std::make_unique<ReduceWindow<int64_t>>(*geometry, reduction, context.threads);
    default:
      return refuse(refusal, std::string("dtype ") + dtype_name(x.dtype));
  }
}

}  // namespace

CandidateSpan reduce_window_kernels() {
  static constexpr Candidate kKernels[] = {{"pool", make_reduce_window}};
  return kKernels;
}

}  // namespace antler::runtime
