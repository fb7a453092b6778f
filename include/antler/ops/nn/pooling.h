#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Window reductions and the pooling functions of keras.ops.nn.
namespace antler::ops {

enum class WindowOp : uint8_t { sum, max, min, prod };
/// The windows of reduce_window().
struct WindowDims {
  std::vector<int64_t> window;        ///< one size per dimension of x; 1: no window
  std::vector<int64_t> strides = {};  ///< default 1
  std::vector<int64_t> dilations = {};
  std::vector<int64_t> pad_low = {};  ///< padded with the identity of the reduction
  std::vector<int64_t> pad_high = {};
};
/// Reduces the elements of each window.
Tensor reduce_window(const Tensor& x, WindowOp op, const WindowDims& dims);

/// Options of max_pool(), average_pool().
struct PoolOptions {
  NumberOrList strides = {};      ///< default: the pool size
  std::string padding = "valid";  ///< or "same"
};
/// Pooling over the spatial dimensions of x [n, spatial..., c]. average_pool() does not count
/// padded elements.
Tensor max_pool(const Tensor& x, std::vector<int64_t> pool_size, const PoolOptions& options = {});
ANTLER_KEYWORD_FUNCTION(max_pool, PoolOptions, const Tensor&, std::vector<int64_t>)
Tensor average_pool(const Tensor& x, std::vector<int64_t> pool_size,
                    const PoolOptions& options = {});
ANTLER_KEYWORD_FUNCTION(average_pool, PoolOptions, const Tensor&, std::vector<int64_t>)
/// Pooling to a given output size, along the axes from `first_axis` on (2 for channels first).
Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                         int first_axis = 1);
Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                             int first_axis = 1);

}  // namespace antler::ops
