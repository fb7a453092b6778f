#include <cstring>
#include <memory>
#include <string>

#include "antler/core/half.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/widened.h"
#include "runtime/cpu/window/window_geometry.h"
#include "runtime/cpu/window/window_loops.h"

namespace antler::runtime {
namespace {

/// Windows that cover the image without overlap write each element once, and threads split their
/// rows. Otherwise the gradient is zeroed first, and threads split the images, so that overlapping
/// windows add to an element in a fixed order.
template <class T>
class SelectAndScatter final : public LibraryKernel {
 public:
  SelectAndScatter(const WindowGeometry& geometry, bool largest, int threads)
      : geometry_(geometry) {
    const auto& [d0, d1, d2] = geometry.dims;
    const bool rows_apart = d0.is_disjoint() && d1.is_disjoint();
    is_covered_ = d0.is_covered() && d1.is_covered() && d2.is_covered();
    loop_ = select_window_loop<T>(largest, !(rows_apart && d2.is_disjoint()));
    rows_per_item_ = is_covered_ && rows_apart ? 1 : geometry.rows_of_image();
    items_ = rows_per_item_ == 1 ? geometry.rows() : geometry.batch;
    threads_ = threads_for_bytes(
        threads, 2 * geometry.batch * geometry.in_image() * static_cast<int64_t>(sizeof(T)));
  }

  void run(void* const* buffers) override {
    const T* x = static_cast<const T*>(buffers[0]);
    const T* dy = static_cast<const T*>(buffers[1]);
    T* dx = static_cast<T*>(buffers[2]);
    const int64_t taps = geometry_.taps();
    parallel_ranges(threads_, items_, [&](int64_t begin, int64_t end, int worker) {
      if (!is_covered_) {
        // Items are images here.
        const int64_t image = geometry_.in_image();
        std::memset(static_cast<void*>(dx + begin * image), 0,
                    static_cast<size_t>((end - begin) * image) * sizeof(T));
      }
      geometry_.for_each_window_of_rows(
          begin * rows_per_item_, end * rows_per_item_, offsets_ + worker * taps,
          [&](int64_t first, const int64_t* at, int64_t count, int64_t result) {
            loop_(x + first, at, count, dy + result, dx + first, geometry_.channels);
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
  SelectWindowLoop<T> loop_ = nullptr;
  bool is_covered_ = false;
  int64_t rows_per_item_ = 1;
  int64_t items_ = 0;
  int threads_ = 1;
  int64_t* offsets_ = nullptr;  // taps() numbers per thread
};

std::unique_ptr<LibraryKernel> make_select_and_scatter(const ir::Graph& graph, const ir::Node& node,
                                                       const KernelContext& context,
                                                       std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const auto geometry = WindowGeometry::of(x.shape, input_spec(graph, node, 1).shape, node.attrs);
  if (!geometry) return refuse(refusal, "more than three windowed dimensions");
  const auto& [d0, d1, d2] = geometry->dims;
  const bool apart = d0.is_disjoint() && d1.is_disjoint() && d2.is_disjoint();
  // In float32, so that sums of overlapping windows are rounded once.
  if (x.dtype == DType::float16 || (x.dtype == DType::bfloat16 && !apart)) {
    return make_widened(graph, node, context, make_select_and_scatter, refusal);
  }
  const bool largest = node.attrs.string("op") == "max";
  switch (x.dtype) {
    case DType::float32:
      return std::make_unique<SelectAndScatter<float>>(*geometry, largest, context.threads);
    case DType::bfloat16:
      return std::make_unique<SelectAndScatter<bfloat16>>(*geometry, largest, context.threads);
    case DType::float64:
      return std::make_unique<SelectAndScatter<double>>(*geometry, largest, context.threads);
    default:
      return refuse(refusal, std::string("dtype ") + dtype_name(x.dtype));
  }
}

}  // namespace

CandidateSpan select_and_scatter_kernels() {
  static constexpr Candidate kKernels[] = {{"pool gradient", make_select_and_scatter}};
  return kKernels;
}

}  // namespace antler::runtime
