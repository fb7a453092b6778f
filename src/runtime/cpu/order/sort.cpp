#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "antler/core/dispatch.h"
#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/order/lane_blocks.h"

// Sorts pairs of a key and the element's index. The key is an unsigned integer that orders like the
// value, with NaN last in either direction; the index makes the sort stable.
namespace antler::runtime {
namespace {

template <class T>
auto ascending_key(T value) {
  using C = ComputeType<T>;
  const C x = static_cast<C>(value);
  if constexpr (std::is_same_v<C, bool>) {
    return static_cast<uint32_t>(x);
  } else if constexpr (std::is_floating_point_v<C>) {
    using Bits = std::conditional_t<sizeof(C) == 4, uint32_t, uint64_t>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(C) - 1);
    const Bits bits = std::bit_cast<Bits>(x + C(0));  // -0 becomes 0, which it equals
    return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  } else {
    using Key = std::conditional_t<sizeof(C) <= 4, uint32_t, uint64_t>;
    constexpr Key kFlip = std::is_signed_v<C> ? Key{1} << (8 * sizeof(Key) - 1) : Key{0};
    return static_cast<Key>(static_cast<Key>(x) ^ kFlip);
  }
}

template <class T>
auto sort_key(T value, bool descending) {
  const auto key = ascending_key(value);
  using Key = std::remove_cv_t<decltype(key)>;
  using C = ComputeType<T>;
  if constexpr (std::is_floating_point_v<C>) {
    const C x = static_cast<C>(value);
    if (x != x) return std::numeric_limits<Key>::max();
  }
  return static_cast<Key>(descending ? ~key : key);
}

/// A key and the index of its element. A 32-bit key and the index are packed into 64 bits.
template <class Key>
struct Keyed;
template <>
struct Keyed<uint32_t> {
  uint64_t bits;
  Keyed() = default;
  Keyed(uint32_t key, int64_t index) : bits(uint64_t{key} << 32 | static_cast<uint64_t>(index)) {}
  int32_t index() const { return static_cast<int32_t>(bits); }
  friend bool operator<(const Keyed& a, const Keyed& b) { return a.bits < b.bits; }
};
template <>
struct Keyed<uint64_t> {
  uint64_t key;
  int64_t position;
  Keyed() = default;
  Keyed(uint64_t key, int64_t index) : key(key), position(index) {}
  int32_t index() const { return static_cast<int32_t>(position); }
  friend bool operator<(const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  }
};

/// Sorts every lane of x and calls write(buffers, order, lane, offset of the lane's first element).
/// Only the first `count` elements of `order` are sorted.
template <class T, class Write>
std::unique_ptr<LibraryKernel> make_typed(const ops::Lanes& lanes, int64_t count, bool descending,
                                          int threads, Write write) {
  using Element = Keyed<std::remove_cv_t<decltype(ascending_key(T{}))>>;
  const size_t scratch = static_cast<size_t>(lanes.length * threads) * sizeof(Element);
  // Sorting takes much longer than one pass over the data.
  const int64_t bytes = 32 * lanes.outer * lanes.length * lanes.inner * int64_t{sizeof(T)};
  return function_kernel("sort", scratch, [=](void* const* buffers, void* memory) {
    const T* x = static_cast<const T*>(buffers[0]);
    parallel_ranges(
        threads_for_bytes(threads, bytes), lanes.outer * lanes.inner,
        [&](int64_t begin, int64_t end, int worker) {
          Element* const elements = static_cast<Element*>(memory) + worker * lanes.length;
          for (int64_t lane = begin; lane < end; ++lane) {
            const int64_t first =
                lane / lanes.inner * lanes.length * lanes.inner + lane % lanes.inner;
            for (int64_t k = 0; k < lanes.length; ++k) {
              elements[k] = Element(sort_key(x[first + k * lanes.inner], descending), k);
            }
            Element* const last = elements + lanes.length;
            if (count == lanes.length) {
              std::sort(elements, last);
            } else {
              std::partial_sort(elements, elements + count, last);
            }
            write(buffers, elements, lane, first);
          }
        });
  });
}

std::unique_ptr<LibraryKernel> make_sort(const ir::Graph& graph, const ir::Node& node,
                                         const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const ops::Lanes lanes(x.shape, node.attrs.integer("axis"));
  return dispatch(x.dtype, [&]<class T>() {
    return make_typed<T>(lanes, lanes.length, node.attrs.flag("descending"), context.threads,
                         [lanes](void* const* buffers, const auto* order, int64_t, int64_t first) {
                           const T* from = static_cast<const T*>(buffers[0]) + first;
                           T* to = static_cast<T*>(buffers[1]) + first;
                           for (int64_t k = 0; k < lanes.length; ++k) {
                             to[k * lanes.inner] = from[order[k].index() * lanes.inner];
                           }
                         });
  });
}

std::unique_ptr<LibraryKernel> make_argsort(const ir::Graph& graph, const ir::Node& node,
                                            const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const ops::Lanes lanes(x.shape, node.attrs.integer("axis"));
  return dispatch(x.dtype, [&]<class T>() {
    return make_typed<T>(lanes, lanes.length, node.attrs.flag("descending"), context.threads,
                         [lanes](void* const* buffers, const auto* order, int64_t, int64_t first) {
                           int32_t* to = static_cast<int32_t*>(buffers[1]) + first;
                           for (int64_t k = 0; k < lanes.length; ++k)
                             to[k * lanes.inner] = order[k].index();
                         });
  });
}

std::unique_ptr<LibraryKernel> make_top_k(const ir::Graph& graph, const ir::Node& node,
                                          const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const ops::Lanes lanes(x.shape, x.shape.rank() - 1);
  const int64_t count = node.attrs.integer("k");
  return dispatch(x.dtype, [&]<class T>() {
    return make_typed<T>(
        lanes, count, true, context.threads,
        [count](void* const* buffers, const auto* order, int64_t lane, int64_t first) {
          const T* from = static_cast<const T*>(buffers[0]) + first;
          T* values = static_cast<T*>(buffers[1]) + lane * count;
          int32_t* indices = static_cast<int32_t*>(buffers[2]) + lane * count;
          for (int64_t k = 0; k < count; ++k) {
            indices[k] = order[k].index();
            values[k] = from[indices[k]];
          }
        });
  });
}

}  // namespace

CandidateSpan sort_kernels() {
  static constexpr Candidate kKernels[] = {{"sort", make_sort}};
  return kKernels;
}
CandidateSpan argsort_kernels() {
  static constexpr Candidate kKernels[] = {{"sort", make_argsort}};
  return kKernels;
}
CandidateSpan top_k_kernels() {
  static constexpr Candidate kKernels[] = {{"sort", make_top_k}};
  return kKernels;
}

}  // namespace antler::runtime
