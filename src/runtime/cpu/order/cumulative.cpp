#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "antler/core/dispatch.h"
#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/order/lane_blocks.h"

namespace antler::runtime {
namespace {

/// Identity and step of each op, as in the reference loops: floats accumulate in double, integers
/// wrap around, NaN propagates.
template <class T>
struct Sum {
  using Total = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  static constexpr Total kStart = 0;
  static Total step(Total total, Total x) { return total + x; }
};
template <class T>
struct Product {
  using Total = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  static constexpr Total kStart = 1;
  static Total step(Total total, Total x) { return total * x; }
};
template <class T, bool largest>
struct Extremum {
  using Total = ComputeType<T>;
  using Limits = std::numeric_limits<Total>;
  static constexpr Total kStart = Limits::has_infinity
                                      ? (largest ? -Limits::infinity() : Limits::infinity())
                                      : (largest ? Limits::lowest() : Limits::max());
  static Total step(Total best, Total x) {
    const bool keep = largest ? best >= x : best <= x;
    return keep || best != best ? best : x;
  }
};
template <class T>
using Maximum = Extremum<T, true>;
template <class T>
using Minimum = Extremum<T, false>;

template <class T, template <class> class Step>
std::unique_ptr<LibraryKernel> make_typed(const ops::Lanes& lanes, bool reverse, bool exclusive,
                                          int threads) {
  const int64_t bytes =
      2 * lanes.outer * lanes.length * lanes.inner * static_cast<int64_t>(sizeof(T));
  return function_kernel("cumulative", 0, [=](void* const* buffers, void*) {
    using Total = typename Step<T>::Total;
    const T* x = static_cast<const T*>(buffers[0]);
    T* out = static_cast<T*>(buffers[1]);
    const auto round = [](Total t) { return static_cast<T>(static_cast<ComputeType<T>>(t)); };
    const auto as_total = [](T value) {
      return static_cast<Total>(static_cast<ComputeType<T>>(value));
    };
    for_each_lane_block(lanes, bytes, threads, [&](int64_t first, int64_t count, int64_t, int) {
      if (lanes.inner == 1) {
        Total total = Step<T>::kStart;
        for (int64_t k = 0; k < lanes.length; ++k) {
          const int64_t at = first + (reverse ? lanes.length - 1 - k : k);
          const Total before = total;
          total = Step<T>::step(before, as_total(x[at]));
          out[at] = round(exclusive ? before : total);
        }
        return;
      }
      Total totals[kLaneBlock];
      std::fill_n(totals, kLaneBlock, Step<T>::kStart);
      for (int64_t k = 0; k < lanes.length; ++k) {
        const int64_t at = first + (reverse ? lanes.length - 1 - k : k) * lanes.inner;
        for (int64_t i = 0; i < count; ++i) {
          const Total before = totals[i];
          totals[i] = Step<T>::step(before, as_total(x[at + i]));
          out[at + i] = round(exclusive ? before : totals[i]);
        }
      }
    });
  });
}

std::unique_ptr<LibraryKernel> make_cumulative(const ir::Graph& graph, const ir::Node& node,
                                               const KernelContext& context, std::string* refusal) {
  const TensorSpec& x = input_spec(graph, node, 0);
  if (x.dtype == DType::boolean) return refuse(refusal, "dtype bool");
  const ops::Lanes lanes(x.shape, node.attrs.integer("axis"));
  const bool reverse = node.attrs.flag("reverse");
  const bool exclusive = node.attrs.flag("exclusive");
  const int threads = context.threads;
  const std::string_view op = node.op->name;
  return dispatch(x.dtype, [&]<class T>() -> std::unique_ptr<LibraryKernel> {
    if constexpr (std::is_same_v<T, bool>) {
      return nullptr;
    } else {
      if (op == "cumsum") return make_typed<T, Sum>(lanes, reverse, exclusive, threads);
      if (op == "cumprod") return make_typed<T, Product>(lanes, reverse, exclusive, threads);
      if (op == "cummax") return make_typed<T, Maximum>(lanes, reverse, exclusive, threads);
      return make_typed<T, Minimum>(lanes, reverse, exclusive, threads);
    }
  });
}

}  // namespace

CandidateSpan cumulative_kernels() {
  static constexpr Candidate kKernels[] = {{"cumulative", make_cumulative}};
  return kKernels;
}

}  // namespace antler::runtime
