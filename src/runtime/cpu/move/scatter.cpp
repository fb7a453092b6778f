#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "antler/core/dispatch.h"
#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/move/indexed_rows.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

enum class Mode { set, add, mul, max, min };

ANTLER_CLONES void add_floats(const float* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

template <class T, Mode mode>
void combine_row(const T* from, T* to, int64_t count) {
  using C = ComputeType<T>;
  if constexpr (mode == Mode::set) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  } else if constexpr (mode == Mode::add && std::is_same_v<T, float>) {
    add_floats(from, to, count);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const C a = static_cast<C>(to[i]);
      const C b = static_cast<C>(from[i]);
      if constexpr (mode == Mode::add) to[i] = static_cast<T>(a + b);
      if constexpr (mode == Mode::mul) to[i] = static_cast<T>(a * b);
      if constexpr (mode == Mode::max) to[i] = a < b ? from[i] : to[i];
      if constexpr (mode == Mode::min) to[i] = b < a ? from[i] : to[i];
    }
  }
}

/// Each element of the result belongs to one thread, which applies its updates in order, so results
/// do not depend on the number of threads. Threads split the columns of wide rows; otherwise each
/// thread reads all indices and applies those that fall into its part of the result.
template <class T, Mode mode>
void scatter(const IndexedRows& rows, int64_t size, int threads, const void* x, const void* indices,
             const T* updates, T* out) {
  constexpr int64_t kColumns = 32;
  const auto element = static_cast<int64_t>(sizeof(T));
  copy_bytes(x, out, size * element, threads);
  const int64_t inner = rows.inner();
  const int team = threads_for_bytes(threads, rows.count() * inner * element);
  const bool by_columns = inner >= kColumns * team;
  parallel_ranges(team, by_columns ? inner : size, [&](int64_t begin, int64_t end) {
    for (int64_t r = 0; r < rows.count(); ++r) {
      const int64_t position = rows.checked(indices, r);
      if (position < 0) continue;
      if (by_columns) {
        combine_row<T, mode>(updates + r * inner + begin, out + position + begin, end - begin);
      } else if (position >= begin && position < end) {
        combine_row<T, mode>(updates + r * inner, out + position, inner);
      }
    }
  });
}

template <class T, Mode mode>
std::unique_ptr<LibraryKernel> make_typed(IndexedRows rows, int64_t size, int threads) {
  return function_kernel(
      "scatter rows", 0, [rows = std::move(rows), size, threads](void* const* buffers, void*) {
        scatter<T, mode>(rows, size, threads, buffers[0], buffers[1],
                         static_cast<const T*>(buffers[2]), static_cast<T*>(buffers[3]));
      });
}

std::unique_ptr<LibraryKernel> make_kernel(const TensorSpec& x, IndexedRows rows,
                                           const std::string& mode, int threads) {
  const int64_t size = x.shape.num_elements();
  return dispatch(x.dtype, [&]<class T>() -> std::unique_ptr<LibraryKernel> {
    // Booleans convert through int, so that "add" is a logical or.
    if (mode == "set") return make_typed<T, Mode::set>(std::move(rows), size, threads);
    if (mode == "add") return make_typed<T, Mode::add>(std::move(rows), size, threads);
    if (mode == "mul") return make_typed<T, Mode::mul>(std::move(rows), size, threads);
    if (mode == "max") return make_typed<T, Mode::max>(std::move(rows), size, threads);
    return make_typed<T, Mode::min>(std::move(rows), size, threads);
  });
}

std::unique_ptr<LibraryKernel> make_scatter(const ir::Graph& graph, const ir::Node& node,
                                            const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  return make_kernel(
      x, IndexedRows::along_axis(x.shape, input_spec(graph, node, 1), node.attrs.integer("axis")),
      node.attrs.string("mode"), context.threads);
}

std::unique_ptr<LibraryKernel> make_scatter_nd(const ir::Graph& graph, const ir::Node& node,
                                               const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  return make_kernel(x, IndexedRows::by_coordinates(x.shape, input_spec(graph, node, 1)),
                     node.attrs.string("mode"), context.threads);
}

}  // namespace

CandidateSpan scatter_kernels() {
  static constexpr Candidate kKernels[] = {{"scatter rows", make_scatter}};
  return kKernels;
}
CandidateSpan scatter_nd_kernels() {
  static constexpr Candidate kKernels[] = {{"scatter rows", make_scatter_nd}};
  return kKernels;
}

}  // namespace antler::runtime
