#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Assigns optimizers to weights by path: the optimizer of the key that equals the path, else that
/// of the only regular expression that matches the whole path, else the default.
class OptimizerMap {
 public:
  using Entries = std::vector<std::pair<std::string, OptimizerPtr>>;
  explicit OptimizerMap(OptimizerPtr default_optimizer, Entries entries = {});
  explicit OptimizerMap(const Optimizer& default_optimizer)
      : OptimizerMap(default_optimizer.share()) {}
  /// Adds an entry. Throws ValueError for a key that already exists or is not a regular expression,
  /// and for an optimizer that wraps others.
  void set(const std::string& key, OptimizerPtr optimizer);
  void set(const std::string& key, const Optimizer& optimizer) { set(key, optimizer.share()); }
  /// The optimizer for a path. Throws ValueError if several expressions match.
  const OptimizerPtr& at(const std::string& path) const;
  const OptimizerPtr& default_optimizer() const { return default_; }
  const Entries& entries() const { return entries_; }

 private:
  OptimizerPtr default_;
  Entries entries_;
};

/// Options of MultiOptimizer.
struct MultiOptimizerOptions {
  std::optional<double> loss_scale_factor = {};  ///< passed on to all optimizers
  std::string name = {};
};

/// Updates each weight with one of several optimizers. It has no learning rate itself: reading or
/// setting it throws AttributeError.
class MultiOptimizer : public OptimizerBase<MultiOptimizer> {
 public:
  explicit MultiOptimizer(OptimizerMap optimizer_map, const MultiOptimizerOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MultiOptimizer, MultiOptimizerOptions, OptimizerMap)
  /// The optimizers of the map, without duplicates, the default last.
  const std::vector<OptimizerPtr>& optimizers() const { return optimizers_; }

  Tensor learning_rate() const override;
  void set_learning_rate(double value) override;
  void set_loss_scale_factor(std::optional<double> factor) override;
  void build(const Variables& variables) override;
  void apply(const Tensors& gradients, const Variables& variables) override;
  Variables variables() const override;
  void finalize_variable_values(const Variables& variables) override;
  Json get_config() const override;

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;

 private:
  size_t index_of(const Variable& variable) const;
  OptimizerMap map_;
  std::vector<OptimizerPtr> optimizers_;
};

}  // namespace antler::optimizers
