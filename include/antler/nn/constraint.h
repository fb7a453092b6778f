#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/base/json.h"
#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/nn/axis_list.h"

namespace antler {

class Constraint;

/// A projection of a weight onto allowed values. Abstract; users pass a Constraint handle.
class ConstraintImpl {
 public:
  using Handle = Constraint;
  virtual ~ConstraintImpl() = default;
  /// The projection of `w`, of the same shape and dtype, computed in ops.
  virtual Tensor call(const Tensor& w) const = 0;
  Tensor operator()(const Tensor& w) const { return call(w); }
  /// Keras's class name ("MaxNorm"). Default: the name of the class.
  virtual std::string class_name() const;
  /// Override it to make models with this constraint saveable. The default throws
  /// NotImplementedError.
  virtual Json get_config() const;
};

/// Field type of layer options: a Keras name ("max_norm"), a constraint object, a function, or
/// nothing. Optimizers apply it to the weight after each update.
class Constraint {
 public:
  using Handle = Constraint;
  using Function = std::function<Tensor(const Tensor&)>;

  Constraint() = default;
  /// With Keras's default arguments. Throws ValueError for an unknown name.
  Constraint(const char* name);         // NOLINT(google-explicit-constructor): names stand for
                                        // objects, as in Keras
  Constraint(const std::string& name);  // NOLINT(google-explicit-constructor)
  Constraint(std::shared_ptr<const ConstraintImpl> impl)  // NOLINT(google-explicit-constructor)
      : impl_(std::move(impl)) {}
  /// An object of a custom class.
  template <std::derived_from<ConstraintImpl> I>
  Constraint(I impl)  // NOLINT(google-explicit-constructor)
      : impl_(std::make_shared<const I>(std::move(impl))) {}
  /// An object of the library, `constraints::NonNeg()`.
  template <std::derived_from<Constraint> H>
  requires(!std::same_as<H, Constraint>)
      Constraint(const H& handle)  // NOLINT(google-explicit-constructor)
      : impl_(handle.impl_) {
    static_assert(
        std::same_as<decltype(&H::operator()), decltype(&Constraint::operator())>,
        "A class of your own derives from ConstraintImpl, the base of what a handle holds: "
        "class MyConstraint : public ConstraintImpl { Tensor call(const Tensor& w) const override; "
        "};");
  }
  /// A custom function, saved under this name; register_constraint() makes it loadable.
  Constraint(std::string name, Function function);
  template <class F>
  requires(std::is_invocable_r_v<Tensor, F, const Tensor&> &&
           !std::derived_from<std::remove_cvref_t<F>, Constraint> &&
           !std::derived_from<std::remove_cvref_t<F>, ConstraintImpl>)
      Constraint(F function)  // NOLINT(google-explicit-constructor)
      : Constraint("function", Function(std::move(function))) {}

  bool given() const { return impl_ != nullptr; }
  /// The projection of `w`; `w` itself if nothing was given.
  Tensor operator()(const Tensor& w) const;
  const ConstraintImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const ConstraintImpl> impl_;
};

/// Keras's constraints, by Keras's names. `axis` gives the dimensions over which a norm is taken: 0
/// for the kernel of a Dense layer, {0, 1, 2} for the kernel of a Conv2D layer.
namespace constraints {

/// Options of MaxNorm.
struct MaxNormOptions {
  double max_value = 2;  ///< of the norm
  AxisList axis = 0;     ///< axes of the norm; {}: all
};
/// Scales vectors whose norm is above max_value down to it.
class MaxNorm : public Constraint {
 public:
  explicit MaxNorm(const MaxNormOptions& options = {});
  explicit MaxNorm(double max_value, MaxNormOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(MaxNorm, MaxNormOptions, double)
};
/// Negative elements become 0.
class NonNeg : public Constraint {
 public:
  NonNeg();
};

/// Options of UnitNorm.
struct UnitNormOptions {
  AxisList axis = 0;  ///< axes of the norm; {}: all
};
/// Scales vectors to norm 1.
class UnitNorm : public Constraint {
 public:
  explicit UnitNorm(const UnitNormOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(UnitNorm, UnitNormOptions)
  template <std::integral Axis>
  explicit UnitNorm(Axis axis) : UnitNorm(UnitNormOptions{.axis = axis}) {}
};

/// Options of MinMaxNorm.
struct MinMaxNormOptions {
  double min_value = 0;  ///< of the norm
  double max_value = 1;  ///< of the norm
  double rate = 1;       ///< 1: at once; less: norms move this fraction of the way per update
  AxisList axis = 0;     ///< axes of the norm; {}: all
};
/// Brings norms into [min_value, max_value].
class MinMaxNorm : public Constraint {
 public:
  explicit MinMaxNorm(const MinMaxNormOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MinMaxNorm, MinMaxNormOptions)
  MinMaxNorm(double min_value, double max_value)
      : MinMaxNorm(MinMaxNormOptions{.min_value = min_value, .max_value = max_value}) {}
};
/// Makes square kernels [size, size, in, out] radially symmetric: all elements of a ring get the
/// value of one element on the diagonal, the same one as in Keras 2.
class RadialConstraint : public Constraint {
 public:
  RadialConstraint();
};

/// The constraint with this name: class name or snake-case name. Throws ValueError.
Constraint get(const std::string& name);
/// Registers a function under a name, so that loaded models find it.
void register_constraint(const std::string& name, Constraint::Function function);
/// {"module", "class_name", "config", "registered_name"}, Keras's form; null when nothing is given.
Json serialize(const Constraint& constraint);
/// From that form, a name, or null. Throws ValueError for unknown classes and keys.
Constraint deserialize(const Json& json);

}  // namespace constraints
}  // namespace antler
