#include <cstring>
#include <memory>
#include <string>

#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/move/indexed_rows.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

/// For rows of one element, where a memcpy per row would dominate.
template <class T>
void gather_elements(const IndexedRows& rows, const void* indices, const void* x, void* out,
                     int threads) {
  const int64_t bytes = rows.count() * 2 * static_cast<int64_t>(sizeof(T));
  parallel_ranges(threads_for_bytes(threads, bytes), rows.count(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      static_cast<T*>(out)[r] = static_cast<const T*>(x)[rows.clamped(indices, r)];
    }
  });
}

void gather(const IndexedRows& rows, size_t element_size, const void* x, const void* indices,
            void* out, int threads) {
  if (rows.inner() == 1) {
    switch (element_size) {
      case 1:
        return gather_elements<uint8_t>(rows, indices, x, out, threads);
      case 2:
        return gather_elements<uint16_t>(rows, indices, x, out, threads);
      case 4:
        return gather_elements<uint32_t>(rows, indices, x, out, threads);
      default:
        return gather_elements<uint64_t>(rows, indices, x, out, threads);
    }
  }
  const auto size = static_cast<int64_t>(element_size);
  const int64_t row = rows.inner() * size;
  if (row == 0) return;
  const int64_t bytes = 2 * rows.count() * row;
  parallel_ranges(threads_for_bytes(threads, bytes), rows.count(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      std::memcpy(static_cast<char*>(out) + r * row,
                  static_cast<const char*>(x) + rows.clamped(indices, r) * size,
                  static_cast<size_t>(row));
    }
  });
}

std::unique_ptr<LibraryKernel> make_kernel(const TensorSpec& x, IndexedRows rows, int threads) {
  return function_kernel(
      "gather rows", 0,
      [rows = std::move(rows), size = dtype_size(x.dtype), threads](void* const* buffers, void*) {
        gather(rows, size, buffers[0], buffers[1], buffers[2], threads);
      });
}

std::unique_ptr<LibraryKernel> make_gather(const ir::Graph& graph, const ir::Node& node,
                                           const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const TensorSpec& indices = input_spec(graph, node, 1);
  return make_kernel(x, IndexedRows::along_axis(x.shape, indices, node.attrs.integer("axis")),
                     context.threads);
}

std::unique_ptr<LibraryKernel> make_gather_nd(const ir::Graph& graph, const ir::Node& node,
                                              const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  return make_kernel(x, IndexedRows::by_coordinates(x.shape, input_spec(graph, node, 1)),
                     context.threads);
}

}  // namespace

CandidateSpan gather_kernels() {
  static constexpr Candidate kKernels[] = {{"gather rows", make_gather}};
  return kKernels;
}
CandidateSpan gather_nd_kernels() {
  static constexpr Candidate kKernels[] = {{"gather rows", make_gather_nd}};
  return kKernels;
}

}  // namespace antler::runtime
