#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ceil_div.h"
#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/move/bytes.h"
#include "runtime/cpu/move/strided_copy.h"
#include "runtime/cpu/node_view.h"

// Ops that are one or two strided copies.
namespace antler::runtime {
namespace {

using ir::Ints;

std::unique_ptr<LibraryKernel> make_transpose(const ir::Graph& graph, const ir::Node& node,
                                              const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& out = output_spec(graph, node).shape;
  const Ints strides = x.shape.strides();
  Ints in;
  for (const int64_t d : node.attrs.ints("perm")) in.push_back(strides[static_cast<size_t>(d)]);
  return function_kernel("strided copy", 0,
                         [copy = StridedCopy(dtype_size(x.dtype), out.dims(), in, out.strides()),
                          threads = context.threads](void* const* buffers, void*) {
                           copy.run(buffers[0], buffers[1], threads);
                         });
}

std::unique_ptr<LibraryKernel> make_slice(const ir::Graph& graph, const ir::Node& node,
                                          const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& out = output_spec(graph, node).shape;
  Ints in = x.shape.strides();
  int64_t offset = 0;
  for (size_t d = 0; d < in.size(); ++d) {
    offset += node.attrs.ints("starts")[d] * in[d];
    in[d] *= node.attrs.ints("strides")[d];
  }
  offset *= static_cast<int64_t>(dtype_size(x.dtype));
  return function_kernel("strided copy", 0,
                         [copy = StridedCopy(dtype_size(x.dtype), out.dims(), in, out.strides()),
                          offset, threads = context.threads](void* const* buffers, void*) {
                           copy.run(static_cast<const char*>(buffers[0]) + offset, buffers[1],
                                    threads);
                         });
}

std::unique_ptr<LibraryKernel> make_concatenate(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context, std::string*) {
  const TensorSpec& out = output_spec(graph, node);
  const auto axis = static_cast<size_t>(node.attrs.integer("axis"));
  const size_t size = dtype_size(out.dtype);
  const Ints strides = out.shape.strides();
  struct Part {
    StridedCopy copy;
    int64_t offset;  // bytes
  };
  std::vector<Part> parts;
  int64_t at = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Shape& x = input_spec(graph, node, i).shape;
    parts.push_back({StridedCopy(size, x.dims(), x.strides(), strides),
                     at * strides[axis] * static_cast<int64_t>(size)});
    at += x.dims()[axis];
  }
  return function_kernel(
      "strided copy", 0,
      [parts = std::move(parts), threads = context.threads](void* const* buffers, void*) {
        char* out = static_cast<char*>(buffers[parts.size()]);
        for (size_t i = 0; i < parts.size(); ++i) {
          parts[i].copy.run(buffers[i], out + parts[i].offset, threads);
        }
      });
}

template <class T>
void fill(const void* value, void* out, int64_t count, int threads) {
  const T element = *static_cast<const T*>(value);
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  parallel_ranges(threads_for_bytes(threads, bytes), count, [&](int64_t begin, int64_t end) {
    std::fill(static_cast<T*>(out) + begin, static_cast<T*>(out) + end, element);
  });
}

void fill(size_t element_size, const void* value, void* out, int64_t count, int threads) {
  switch (element_size) {
    case 1:
      return fill<uint8_t>(value, out, count, threads);
    case 2:
      return fill<uint16_t>(value, out, count, threads);
    case 4:
      return fill<uint32_t>(value, out, count, threads);
    default:
      return fill<uint64_t>(value, out, count, threads);
  }
}

/// Fills the result with the padding value, then copies x. Negative padding crops x.
std::unique_ptr<LibraryKernel> make_pad(const ir::Graph& graph, const ir::Node& node,
                                        const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& out = output_spec(graph, node).shape;
  const auto size = static_cast<int64_t>(dtype_size(x.dtype));
  const Ints in_strides = x.shape.strides();
  Ints out_strides = out.strides();
  Ints kept;
  int64_t from = 0;
  int64_t to = 0;
  for (size_t d = 0; d < in_strides.size(); ++d) {
    const int64_t low = node.attrs.ints("low")[d];
    const int64_t step = node.attrs.ints("interior")[d] + 1;
    // Elements [begin, end) of x are inside the result.
    const int64_t begin = low >= 0 ? 0 : (-low + step - 1) / step;
    const int64_t room = out.dims()[d] - low;
    const int64_t end = std::min(x.shape.dims()[d], room <= 0 ? 0 : ceil_div(room, step));
    kept.push_back(std::max<int64_t>(end - begin, 0));
    from += begin * in_strides[d];
    to += (low + begin * step) * out_strides[d];
    out_strides[d] *= step;
  }
  const int64_t count = out.num_elements();
  return function_kernel(
      "pad", 0,
      [copy = StridedCopy(static_cast<size_t>(size), kept, in_strides, out_strides),
       from = from * size, to = to * size, size, count,
       threads = context.threads](void* const* buffers, void*) {
        fill(static_cast<size_t>(size), buffers[1], buffers[2], count, threads);
        copy.run(static_cast<const char*>(buffers[0]) + from, static_cast<char*>(buffers[2]) + to,
                 threads);
      });
}

/// Byte offset of a block whose start indices are an input of the kernel. They are clamped so that
/// the block is inside the array.
struct BlockStart {
  Ints last;     // largest start indices
  Ints strides;  // bytes
  DType dtype;

  BlockStart(const TensorSpec& whole, const Shape& block, DType starts)
      : strides(whole.shape.strides()), dtype(starts) {
    for (size_t d = 0; d < strides.size(); ++d) {
      last.push_back(whole.shape.dims()[d] - block.dims()[d]);
      strides[d] *= static_cast<int64_t>(dtype_size(whole.dtype));
    }
  }
  int64_t offset(const void* starts) const {
    int64_t result = 0;
    for (size_t d = 0; d < last.size(); ++d) {
      const int64_t start = index_at(starts, dtype, static_cast<int64_t>(d));
      result += std::clamp<int64_t>(start, 0, last[d]) * strides[d];
    }
    return result;
  }
};

std::unique_ptr<LibraryKernel> make_dynamic_slice(const ir::Graph& graph, const ir::Node& node,
                                                  const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& out = output_spec(graph, node).shape;
  return function_kernel(
      "strided copy", 0,
      [copy = StridedCopy(dtype_size(x.dtype), out.dims(), x.shape.strides(), out.strides()),
       start = BlockStart(x, out, input_spec(graph, node, 1).dtype),
       threads = context.threads](void* const* buffers, void*) {
        copy.run(static_cast<const char*>(buffers[0]) + start.offset(buffers[1]), buffers[2],
                 threads);
      });
}

std::unique_ptr<LibraryKernel> make_dynamic_update_slice(const ir::Graph& graph,
                                                         const ir::Node& node,
                                                         const KernelContext& context,
                                                         std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const Shape& update = input_spec(graph, node, 1).shape;
  return function_kernel(
      "strided copy", 0,
      [copy = StridedCopy(dtype_size(x.dtype), update.dims(), update.strides(), x.shape.strides()),
       start = BlockStart(x, update, input_spec(graph, node, 2).dtype),
       bytes = static_cast<int64_t>(bytes_of(x)),
       threads = context.threads](void* const* buffers, void*) {
        copy_bytes(buffers[0], buffers[3], bytes, threads);
        copy.run(buffers[1], static_cast<char*>(buffers[3]) + start.offset(buffers[2]), threads);
      });
}

}  // namespace

CandidateSpan transpose_kernels() {
  static constexpr Candidate kKernels[] = {{"strided copy", make_transpose}};
  return kKernels;
}
CandidateSpan slice_kernels() {
  static constexpr Candidate kKernels[] = {{"strided copy", make_slice}};
  return kKernels;
}
CandidateSpan concatenate_kernels() {
  static constexpr Candidate kKernels[] = {{"strided copy", make_concatenate}};
  return kKernels;
}
CandidateSpan pad_kernels() {
  static constexpr Candidate kKernels[] = {{"pad", make_pad}};
  return kKernels;
}
CandidateSpan dynamic_slice_kernels() {
  static constexpr Candidate kKernels[] = {{"strided copy", make_dynamic_slice}};
  return kKernels;
}
CandidateSpan dynamic_update_slice_kernels() {
  static constexpr Candidate kKernels[] = {{"strided copy", make_dynamic_update_slice}};
  return kKernels;
}

}  // namespace antler::runtime
