#pragma once

#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/layer_handle.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/recurrent.h"
#include "antler/nn/layers/wrapper.h"

/// Layers that apply another layer along the time axis.
namespace antler {

/// Options of TimeDistributed.
struct TimeDistributedOptions {
  LayerPtr layer = nullptr;  ///< set by TimeDistributed(layer)
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Applies a layer to each step of [batch, time, ...]. A mask [batch, time, ...] is split in the
/// same way, passed to the layer, and kept on the output.
class TimeDistributed : public LayerBase<TimeDistributed, Wrapper> {
 public:
  explicit TimeDistributed(const LayerHandle& layer, const TimeDistributedOptions& options = {});
  explicit TimeDistributed(const TimeDistributedOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(TimeDistributed, TimeDistributedOptions, const LayerHandle&)

  /// Throws ValueError for fewer than 3 dimensions.
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of Bidirectional.
struct BidirectionalOptions {
  LayerPtr layer = nullptr;  ///< set by Bidirectional(layer)
  /// How the outputs of the two directions become one: "concat", "sum", "mul", "ave"; nothing: a
  /// list of both.
  std::optional<std::string> merge_mode = "concat";
  OptionalLayer backward_layer = {};  ///< not given: a copy of `layer` that goes backwards
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Runs a recurrent layer in both directions over [batch, time, ...] (Schuster and Paliwal 1997).
/// The outputs of the backward layer are put into the order of time before they are merged. With
/// return_state the output is followed by the states, forward then backward; "initial_state" is
/// given in that order too.
class Bidirectional : public LayerOf<Bidirectional, BidirectionalOptions> {
 public:
  explicit Bidirectional(const LayerHandle& layer, BidirectionalOptions options = {});
  /// Throws ValueError for a wrong `merge_mode` or two layers that do not fit together, TypeError
  /// unless they are recurrent layers.
  explicit Bidirectional(const BidirectionalOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Bidirectional, BidirectionalOptions, const LayerHandle&)

  const RNN& forward_layer() const { return *forward_; }
  const RNN& backward_layer() const { return *backward_; }
  void build(const Shape& input_shape) override;
  using Layer::build;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  CallSignature call_signature() const override;

 private:
  std::shared_ptr<RNN> forward_;
  std::shared_ptr<RNN> backward_;
};

}  // namespace antler
