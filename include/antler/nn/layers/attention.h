#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/sizes.h"

/// Attention layers. Arguments of a call besides `training`:
///  - "return_attention_scores" (bool): return {output, scores} instead of the output;
///  - "use_causal_mask" (bool): a position attends only to positions up to its own.
/// Masks are boolean, true = attend.
namespace antler {

/// Options of Attention.
struct AttentionOptions {
  bool use_scale = false;          ///< whether a trained factor scales the scores
  std::string score_mode = "dot";  ///< or "concat"
  double dropout = 0;              ///< dropout rate of the scores
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Dot-product attention (Luong et al. 2015), called on {query [batch, tq, dim], value [batch, tv,
/// dim]} or {query, value, key}: softmax(scores) value, scores = scale * query key^T, or with
/// score_mode "concat" weight * sum(tanh(scale * (query + key))). The argument "mask" is a list of
/// masks for query [batch, tq] and value [batch, tv]; masked queries give zeros.
/// Scores are [batch, tq, tv]. Weights: scale [] and concat_score_weight [], if used.
class Attention : public LayerBase<Attention> {
 public:
  explicit Attention(const AttentionOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Attention, AttentionOptions)
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  CallSignature call_signature() const override;
  Json get_config() const override;

 protected:
  Attention(const char* class_name, const AttentionOptions& options);
  /// [batch, tq, tv].
  virtual Tensor scores(const Tensor& query, const Tensor& key) const;
  const AttentionOptions& options() const { return options_; }

  Variable scale_;

 private:
  AttentionOptions options_;
  std::optional<SeedGenerator> seed_generator_;
  Variable concat_score_weight_;
};

/// Options of AdditiveAttention.
struct AdditiveAttentionOptions {
  bool use_scale = true;  ///< whether trained factors scale the scores
  double dropout = 0;     ///< dropout rate of the scores
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Attention with the scores sum(scale * tanh(query + key)) (Bahdanau et al. 2015). Weight: scale
/// [dim], if used.
class AdditiveAttention : public LayerBase<AdditiveAttention, Attention> {
 public:
  explicit AdditiveAttention(const AdditiveAttentionOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(AdditiveAttention, AdditiveAttentionOptions)
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Json get_config() const override;

 protected:
  Tensor scores(const Tensor& query, const Tensor& key) const override;
};

/// Options of MultiHeadAttention.
struct MultiHeadAttentionOptions {
  int64_t num_heads = 0;                       ///< number of heads
  int64_t key_dim = 0;                         ///< size of a key per head
  std::optional<int64_t> value_dim = {};       ///< size of a value per head; not given: key_dim
  double dropout = 0;                          ///< dropout rate of the scores
  bool use_bias = true;                        ///< whether to add a bias
  Sizes output_shape = {};                     ///< not given: the last dimension of the query
  Sizes attention_axes = {};                   ///< not given: all axes between batch and features
  std::optional<int64_t> sliding_window = {};  ///< attend only to positions closer than this
  /// Whether to compute attention block by block, without the whole matrix of scores in memory.
  /// Only possible if dropout is 0 and the scores are not returned. Not given: if that matrix is
  /// large. Results are equal up to rounding.
  std::optional<bool> flash_attention = {};
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  bool use_gate = false;  ///< a sigmoid of the query scales the heads' outputs
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

class EinsumDense;

/// Multi-head attention (Vaswani et al. 2017), called on {query [batch, t, dim], value [batch, s,
/// dim]} or {query, value, key}. Inputs may have more dimensions; attention is then over
/// `attention_axes`. Further arguments: "attention_mask" [batch, t, s], "value_mask", "key_mask"
/// [batch, s]. Masks that the inputs carry are used, too. Scores are [batch, heads, t, s].
/// Weights: kernel and bias of query, key, gate (if used), value and attention_output.
class MultiHeadAttention : public LayerOf<MultiHeadAttention, MultiHeadAttentionOptions> {
 public:
  MultiHeadAttention();  ///< assigned later
  MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options = {});
  /// Throws ValueError for sizes that are not positive.
  explicit MultiHeadAttention(const MultiHeadAttentionOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(MultiHeadAttention, MultiHeadAttentionOptions, int64_t, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(MultiHeadAttention, MultiHeadAttentionOptions, int64_t,
                                   num_heads)
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  CallSignature call_signature() const override;

 private:
  std::optional<SeedGenerator> seed_generator_;
  std::shared_ptr<EinsumDense> query_;
  std::shared_ptr<EinsumDense> key_;
  std::shared_ptr<EinsumDense> gate_;
  std::shared_ptr<EinsumDense> value_;
  std::shared_ptr<EinsumDense> output_;
};

/// Options of GroupQueryAttention.
struct GroupQueryAttentionOptions {
  int64_t head_dim = 0;                        ///< size of a head
  int64_t num_query_heads = 0;                 ///< a multiple of the heads of keys and values
  int64_t num_key_value_heads = 0;             ///< a divisor of num_query_heads
  double dropout = 0;                          ///< dropout rate of the scores
  bool use_bias = true;                        ///< whether to add a bias
  std::optional<int64_t> sliding_window = {};  ///< attend only to positions closer than this
  /// Whether to compute attention block by block, without the whole matrix of scores in memory.
  /// Only possible if dropout is 0 and the scores are not returned. Not given: if that matrix is
  /// large. Results are equal up to rounding.
  std::optional<bool> flash_attention = {};
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  bool use_gate = false;  ///< a sigmoid of the query scales the heads' outputs
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Multi-head attention in which several query heads share a key and value head (Ainslie et al.
/// 2023), called on {query [batch, t, dim], value [batch, s, dim]} or {query, value, key}. Further
/// arguments and scores are those of MultiHeadAttention, plus the argument "query_mask" [batch, t].
class GroupQueryAttention : public LayerOf<GroupQueryAttention, GroupQueryAttentionOptions> {
 public:
  GroupQueryAttention();  ///< assigned later
  GroupQueryAttention(int64_t head_dim, int64_t num_query_heads, int64_t num_key_value_heads,
                      GroupQueryAttentionOptions options = {});
  /// Throws ValueError for sizes that are not positive, and if num_query_heads is not a multiple of
  /// num_key_value_heads.
  explicit GroupQueryAttention(const GroupQueryAttentionOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(GroupQueryAttention, GroupQueryAttentionOptions, int64_t, int64_t,
                              int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(GroupQueryAttention, GroupQueryAttentionOptions, int64_t,
                                   head_dim)
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  CallSignature call_signature() const override;

 private:
  std::optional<SeedGenerator> seed_generator_;
  std::shared_ptr<EinsumDense> query_;
  std::shared_ptr<EinsumDense> key_;
  std::shared_ptr<EinsumDense> gate_;
  std::shared_ptr<EinsumDense> value_;
  std::shared_ptr<EinsumDense> output_;
};

}  // namespace antler
