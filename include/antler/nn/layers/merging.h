#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Options of merging layers that have none of their own.
struct MergeOptions {
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// What merging layers share: a list of tensors becomes one, element by element. Shapes broadcast,
/// apart from the batch; a tensor of fewer dimensions gets dimensions of size 1 behind the batch.
class BaseMerge : public Layer {
 public:
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using Layer::call;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  Json get_config() const override;

 protected:
  BaseMerge(const char* class_name, const MergeOptions& options);
  /// Merges tensors of equal rank.
  virtual Tensor merge(const Tensors& inputs) const = 0;
};

class Add : public LayerBase<Add, BaseMerge> {
 public:
  explicit Add(const MergeOptions& options = {});

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
/// The first of exactly two minus the second.
class Subtract : public LayerBase<Subtract, BaseMerge> {
 public:
  explicit Subtract(const MergeOptions& options = {});

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
class Multiply : public LayerBase<Multiply, BaseMerge> {
 public:
  explicit Multiply(const MergeOptions& options = {});

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
class Average : public LayerBase<Average, BaseMerge> {
 public:
  explicit Average(const MergeOptions& options = {});

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
class Maximum : public LayerBase<Maximum, BaseMerge> {
 public:
  explicit Maximum(const MergeOptions& options = {});

 protected:
  Tensor merge(const Tensors& inputs) const override;
};
class Minimum : public LayerBase<Minimum, BaseMerge> {
 public:
  explicit Minimum(const MergeOptions& options = {});

 protected:
  Tensor merge(const Tensors& inputs) const override;
};

/// Options of Concatenate.
struct ConcatenateOptions {
  int64_t axis = -1;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Joins tensors along an axis; the other dimensions must be equal.
class Concatenate : public LayerBase<Concatenate> {
 public:
  explicit Concatenate(const ConcatenateOptions& options = {});
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using Layer::call;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  Json get_config() const override;

 private:
  ConcatenateOptions options_;
};

}  // namespace antler
