#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/layer_of.h"

namespace antler {

/// Options of the merging layers without further options.
struct MergeOptions {
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the merging layers, which combine a list of tensors element by element. Shapes
/// broadcast, except for the batch; tensors of lower rank get dimensions of size 1 after the batch.
/// If all inputs have a mask, the output's mask keeps an element if any of them does.
class BaseMerge : public Layer {
 public:
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  Json get_config() const override;

 protected:
  BaseMerge(const char* class_name, const MergeOptions& options);
  /// Merges tensors of equal rank.
  virtual Tensor merge(const Tensors& inputs) const = 0;
};

/// The sum.
class Add : public LayerBase<Add, BaseMerge> {
 public:
  explicit Add(const MergeOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Add, MergeOptions)

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
/// The first input minus the second, of exactly two.
class Subtract : public LayerBase<Subtract, BaseMerge> {
 public:
  explicit Subtract(const MergeOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Subtract, MergeOptions)

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
/// The product. Masked elements count as 1.
class Multiply : public LayerBase<Multiply, BaseMerge> {
 public:
  explicit Multiply(const MergeOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Multiply, MergeOptions)

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
/// The mean.
class Average : public LayerBase<Average, BaseMerge> {
 public:
  explicit Average(const MergeOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Average, MergeOptions)

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
/// The largest of the elements. Masked elements are ignored, as in Minimum.
class Maximum : public LayerBase<Maximum, BaseMerge> {
 public:
  explicit Maximum(const MergeOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Maximum, MergeOptions)

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
/// The smallest of the elements.
class Minimum : public LayerBase<Minimum, BaseMerge> {
 public:
  explicit Minimum(const MergeOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Minimum, MergeOptions)

 protected:
  Tensor merge(const Tensors& inputs) const override;
};

/// Options of Concatenate.
struct ConcatenateOptions {
  int64_t axis = -1;  ///< along which they are joined
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Joins tensors along an axis; the other dimensions must be equal.
class Concatenate : public LayerOf<Concatenate, ConcatenateOptions> {
 public:
  explicit Concatenate(const ConcatenateOptions& options = {});
  explicit Concatenate(int64_t axis, ConcatenateOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Concatenate, ConcatenateOptions, int64_t)
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
};

/// Options of Dot.
struct DotOptions {
  AxisList axes = -1;  ///< summed over: one axis for both inputs, or one for each; not the batch
  bool normalize = false;  ///< first scale vectors along the axes to length 1: cosine similarity
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Sums of products of two inputs for each sample: [batch, a..., n, b...] and [batch, c..., n,
/// d...] -> [batch, a..., b..., c..., d...]; two vectors per sample give [batch, 1].
class Dot : public LayerOf<Dot, DotOptions> {
 public:
  /// Throws ValueError unless there are one or two axes.
  explicit Dot(const AxisList& axes, DotOptions options = {});
  explicit Dot(const DotOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Dot, DotOptions, const AxisList&)
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
};

/// The merging layers as functions, Keras's functional interface: `layers::add({a, b})`.
namespace layers {
Tensor add(const Tensors& inputs, const MergeOptions& options = {});
Tensor subtract(const Tensors& inputs, const MergeOptions& options = {});
Tensor multiply(const Tensors& inputs, const MergeOptions& options = {});
Tensor average(const Tensors& inputs, const MergeOptions& options = {});
Tensor maximum(const Tensors& inputs, const MergeOptions& options = {});
Tensor minimum(const Tensors& inputs, const MergeOptions& options = {});
Tensor concatenate(const Tensors& inputs, const ConcatenateOptions& options = {});
Tensor dot(const Tensors& inputs, const DotOptions& options = {});
ANTLER_KEYWORD_FUNCTION(concatenate, ConcatenateOptions, const Tensors&)
ANTLER_KEYWORD_FUNCTION(dot, DotOptions, const Tensors&)
}  // namespace layers

}  // namespace antler
