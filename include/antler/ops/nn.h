#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Neural-network composites: ops with a plain decomposition, which kernels may replace.
namespace antler::ops {

Tensor relu(const Tensor& x);
Tensor relu6(const Tensor& x);
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
Tensor elu(const Tensor& x, double alpha = 1.0);
Tensor selu(const Tensor& x);
Tensor celu(const Tensor& x, double alpha = 1.0);
Tensor silu(const Tensor& x);
Tensor gelu(const Tensor& x, bool approximate = true);
Tensor softplus(const Tensor& x);
Tensor softsign(const Tensor& x);
Tensor log_sigmoid(const Tensor& x);
Tensor hard_sigmoid(const Tensor& x);
Tensor hard_silu(const Tensor& x);
Tensor mish(const Tensor& x);
Tensor softmax(const Tensor& x, int64_t axis = -1);
Tensor log_softmax(const Tensor& x, int64_t axis = -1);

/// -sum(target * log p) along `axis`; `output` holds probabilities (clipped to [1e-7, 1 - 1e-7]
/// after being normalised) or logits.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                bool from_logits = false, int64_t axis = -1);
/// As above with integer targets of one rank less.
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       bool from_logits = false, int64_t axis = -1);
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);

struct Moments {
  Tensor mean;
  Tensor variance;
};
Moments moments(const Tensor& x, const Axes& axes, bool keepdims = false);
/// (x - mean) / sqrt(variance + epsilon) * scale + offset; the four broadcast against x. `offset`,
/// `scale` optional.
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           const Tensor& offset, const Tensor& scale, double epsilon = 1e-3);
/// Normalises over the last axis; gamma, beta [features] optional.
Tensor layer_normalization(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                           double epsilon = 1e-3);

/// Pooling over the spatial dimensions of x [n, spatial..., c]; `padding` is "valid" or "same".
/// Average pooling leaves padding out of the count.
Tensor max_pool(const Tensor& x, std::vector<int64_t> pool_size, std::vector<int64_t> strides,
                const std::string& padding = "valid");
Tensor average_pool(const Tensor& x, std::vector<int64_t> pool_size, std::vector<int64_t> strides,
                    const std::string& padding = "valid");

/// softmax(q k^T * scale + bias) v; q [n, t, heads, d], k and v [n, s, heads, d]; `mask` [n, heads,
/// t, s] or broadcastable, true = attend; optional. scale < 0 means 1 / sqrt(d). `flash_attention`:
/// whether a traced call without bias works block by block and never has the matrix [n, heads, t,
/// s] in memory, forward or backward; not given: where that matrix is large.
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& bias = {}, const Tensor& mask = {}, double scale = -1,
                             bool is_causal = false, std::optional<bool> flash_attention = {});

/// While it lives, attention that this thread traces has its matrix, whatever was asked for: work
/// by blocks is a loop over the samples of one size of batch, and a graph for other programs is to
/// take any.
class WholeAttentionScope {
 public:
  WholeAttentionScope();
  ~WholeAttentionScope();
  WholeAttentionScope(const WholeAttentionScope&) = delete;
  WholeAttentionScope& operator=(const WholeAttentionScope&) = delete;

 private:
  bool previous_;
};

struct LstmResult {
  Tensor sequence;  ///< [n, t, units]
  Tensor h;         ///< [n, units], after the last step
  Tensor c;
};
/// LSTM over x [n, t, features]; kernel [features, 4 units], recurrent [units, 4 units], bias [4
/// units]; gates in Keras's order i, f, c, o; tanh and sigmoid.
LstmResult lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& kernel,
                const Tensor& recurrent, const Tensor& bias, bool reverse = false);
struct GruResult {
  Tensor sequence;
  Tensor h;
};
/// GRU; gates in Keras's order z, r, h; bias [2, 3 units] with reset_after, else [3 units].
GruResult gru(const Tensor& x, const Tensor& h0, const Tensor& kernel, const Tensor& recurrent,
              const Tensor& bias, bool reset_after = true, bool reverse = false);

}  // namespace antler::ops
