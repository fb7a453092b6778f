#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/base/json.h"
#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

namespace antler {

/// The last options of every loss class. Reductions: "sum_over_batch_size" (also "auto"), "sum",
/// "mean", "mean_with_sample_weight", "none".
struct LossOptions {
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};                          ///< not given: the class's snake-case name

  /// Of the computation: a dtype or a policy, whose compute dtype counts. Targets and predictions
  /// are cast to it. Not given: the dtype of float32 and float64 predictions, else float32.
  std::optional<std::string> dtype = {};
};

class Loss;
class LossImpl;
class Metric;

/// A function (y_true, y_pred) that gives values per sample. Losses and metrics, which can be
/// called too, are excluded.
template <class F>
concept IsLossFunction =
    !std::derived_from<F, Loss> && !std::derived_from<F, LossImpl> &&
    !std::derived_from<F, Metric> && std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&>;

/// The implementation of a loss. A custom class derives from this and overrides `call`; compile()
/// takes its objects by value. Users hold a Loss.
class LossImpl {
 public:
  using Handle = Loss;
  explicit LossImpl(LossOptions opts = {}) : options(std::move(opts)) {}
  // A template, so that options in braces do not convert to a name.
  template <std::convertible_to<std::string> S>
  explicit LossImpl(const S& name) : options{.name = std::string(name)} {}
  virtual ~LossImpl() = default;
  /// Values before reduction: y_pred's shape without the last axis.
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) const = 0;
  /// The weighted and reduced value; see Loss.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {},
                    const Tensor& mask = {}) const;
  /// Which values count (boolean, shape of the values); undefined = all of them.
  virtual Tensor compute_mask(const Tensor&, const Tensor&) const { return {}; }
  /// Default: the name of the class.
  virtual std::string class_name() const;
  /// Default: {"name", "reduction"}.
  virtual Json get_config() const;
  LossOptions options;

 protected:
  LossImpl(const LossImpl&) = default;
  LossImpl& operator=(const LossImpl&) = default;
};

/// The optional arguments of a loss's call.
struct LossCallOptions {
  Tensor sample_weight = {};  ///< a scalar, [batch] or [batch, time]
  Tensor mask = {};           ///< true = keep
};

/// An immutable handle to a loss. `call` computes per-sample values; operator() weights and reduces
/// them.
class Loss {
 public:
  using Handle = Loss;
  Loss() = default;
  template <std::derived_from<LossImpl> L>
  Loss(L impl)  // NOLINT(google-explicit-constructor): objects of custom classes are losses
      : Loss(with_name(std::make_shared<L>(std::move(impl)))) {}
  explicit Loss(std::shared_ptr<const LossImpl> impl) : impl_(std::move(impl)) {}
  /// By name, as losses::get(): `Loss loss = "mse"`. Throws ValueError for an unknown name.
  Loss(const std::string& name);                       // NOLINT(google-explicit-constructor)
  Loss(const char* name) : Loss(std::string(name)) {}  // NOLINT(google-explicit-constructor)
  /// A function. Its name is "<lambda>", as in Python; losses::from_function() gives it another.
  template <IsLossFunction F>
  Loss(F function)  // NOLINT(google-explicit-constructor)
      : Loss(from(std::function<Tensor(const Tensor&, const Tensor&)>(std::move(function)))) {}
  /// An object of the library, `losses::Huber()`.
  template <std::derived_from<Loss> H>
  requires(!std::same_as<H, Loss>) Loss(const H& handle)  // NOLINT(google-explicit-constructor)
      : impl_(handle.impl_) {
    static_assert(
        std::same_as<decltype(&H::call), decltype(&Loss::call)>,
        "A loss of your own derives from LossImpl, the base of what a handle holds: class "
        "MyLoss : public LossImpl { Tensor call(const Tensor& y_true, const Tensor& "
        "y_pred) const override; };");
  }
  bool defined() const { return impl_ != nullptr; }
  /// The weighted and reduced value: a scalar, or per-sample values for the reduction "none".
  /// `sample_weight` is a scalar, [batch] or [batch, time]. `mask` has the shape of the values,
  /// true = keep; means are over the kept values. Not given: the mask that y_pred carries. Throws
  /// ValueError for shapes that do not fit, and for a mean over the batch in the scope of a
  /// strategy with several replicas: use "sum" or "none" there. (fit() scales means itself.)
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {},
                    const Tensor& mask = {}) const {
    return (*impl_)(y_true, y_pred, sample_weight, mask);
  }
  /// `loss(y_true, y_pred, kw::sample_weight = weights)`.
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                                                    K... keywords) const {
    const auto options = from_keywords<LossCallOptions>(std::move(keywords)...);
    return (*this)(y_true, y_pred, options.sample_weight, options.mask);
  }
  /// Per-sample values, neither weighted nor reduced.
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const {
    return impl_->call(y_true, y_pred);
  }
  const std::string& name() const { return impl_->options.name; }
  const std::string& reduction() const { return impl_->options.reduction; }
  const LossImpl& impl() const { return *impl_; }

 private:
  static Loss from(std::function<Tensor(const Tensor&, const Tensor&)> function);
  /// Names it after its class if it has no name.
  static std::shared_ptr<const LossImpl> with_name(const std::shared_ptr<LossImpl>& impl);
  std::shared_ptr<const LossImpl> impl_;
};

namespace losses {
using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;
/// The loss with this Keras name: class name, snake-case function name or alias ("mse"). Throws
/// ValueError.
Loss get(const std::string& name);
/// A function as a loss.
Loss from_function(const std::string& name, Function function, const LossOptions& options = {});
/// Weights and reduces per-sample values by Keras's rules. All losses use it.
Tensor reduce_weighted(const Tensor& values, const Tensor& sample_weight,
                       const std::string& reduction, const Tensor& mask = {});
/// During its lifetime, losses that average over the batch may be called under a strategy with
/// several replicas. The caller scales them to the global batch.
class ReplicaAverages {
 public:
  ReplicaAverages();
  ~ReplicaAverages();
  ReplicaAverages(const ReplicaAverages&) = delete;
  ReplicaAverages& operator=(const ReplicaAverages&) = delete;

 private:
  bool previous_;
};
/// Throws ValueError for an unknown reduction.
void check_reduction(const std::string& reduction);
/// Converts to Keras's form, {"class_name", "config"}, and back. deserialize() throws ValueError
/// for an unknown class.
Json serialize(const Loss& loss);
Loss deserialize(const Json& json);
}  // namespace losses
}  // namespace antler
