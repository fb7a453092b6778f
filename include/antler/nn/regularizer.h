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

namespace antler {

class Regularizer;

/// A penalty on a weight or on the outputs of a layer. Abstract; users pass a Regularizer handle.
class RegularizerImpl {
 public:
  using Handle = Regularizer;
  virtual ~RegularizerImpl() = default;
  /// The penalty, a scalar of x's dtype, in ops.
  virtual Tensor call(const Tensor& x) const = 0;
  Tensor operator()(const Tensor& x) const { return call(x); }
  /// Keras's class name ("L2"). Default: the name of the class.
  virtual std::string class_name() const;
  /// Override it to make models with this regularizer saveable. The default throws
  /// NotImplementedError.
  virtual Json get_config() const;
};

/// Field type of layer options: a Keras name ("l2"), a regularizer object, a function, or nothing.
class Regularizer {
 public:
  using Handle = Regularizer;
  using Function = std::function<Tensor(const Tensor&)>;

  Regularizer() = default;
  /// With Keras's default factors (0.01). Throws ValueError for an unknown name.
  Regularizer(const char* name);         // NOLINT(google-explicit-constructor): names stand for
                                         // objects, as in Keras
  Regularizer(const std::string& name);  // NOLINT(google-explicit-constructor)
  Regularizer(std::shared_ptr<const RegularizerImpl> impl)  // NOLINT(google-explicit-constructor)
      : impl_(std::move(impl)) {}
  /// An object of a custom class.
  template <std::derived_from<RegularizerImpl> I>
  Regularizer(I impl)  // NOLINT(google-explicit-constructor)
      : impl_(std::make_shared<const I>(std::move(impl))) {}
  /// An object of the library, `regularizers::L2(0.1)`.
  template <std::derived_from<Regularizer> H>
  requires(!std::same_as<H, Regularizer>)
      Regularizer(const H& handle)  // NOLINT(google-explicit-constructor)
      : impl_(handle.impl_) {
    static_assert(
        std::same_as<decltype(&H::operator()), decltype(&Regularizer::operator())>,
        "A class of your own derives from RegularizerImpl, the base of what a handle holds: "
        "class MyRegularizer : public RegularizerImpl { Tensor call(const Tensor& x) const "
        "override; };");
  }
  /// A custom function, saved under this name; register_regularizer() makes it loadable.
  Regularizer(std::string name, Function function);
  template <class F>
  requires(std::is_invocable_r_v<Tensor, F, const Tensor&> &&
           !std::derived_from<std::remove_cvref_t<F>, Regularizer> &&
           !std::derived_from<std::remove_cvref_t<F>, RegularizerImpl>)
      Regularizer(F function)  // NOLINT(google-explicit-constructor)
      : Regularizer("function", Function(std::move(function))) {}

  bool given() const { return impl_ != nullptr; }
  /// The penalty of `x`. Throws ValueError if nothing was given.
  Tensor operator()(const Tensor& x) const;
  const RegularizerImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const RegularizerImpl> impl_;
};

/// Keras's regularizers, by Keras's names.
namespace regularizers {

/// Options of L1.
struct L1Options {
  double l1 = 0.01;  ///< factor
};
/// l1 * sum(abs(x)).
class L1 : public Regularizer {
 public:
  /// Throws ValueError unless l1 is finite and not negative.
  explicit L1(double l1 = 0.01);
  explicit L1(const L1Options& options) : L1(options.l1) {}
  ANTLER_KEYWORD_CONSTRUCTOR(L1, L1Options)
};
/// Options of L2.
struct L2Options {
  double l2 = 0.01;  ///< factor
};
/// l2 * sum(square(x)).
class L2 : public Regularizer {
 public:
  /// Throws ValueError unless l2 is finite and not negative.
  explicit L2(double l2 = 0.01);
  explicit L2(const L2Options& options) : L2(options.l2) {}
  ANTLER_KEYWORD_CONSTRUCTOR(L2, L2Options)
};

/// Options of L1L2.
struct L1L2Options {
  double l1 = 0;  ///< factor of the sum of magnitudes
  double l2 = 0;  ///< factor of the sum of squares
};
/// l1 * sum(abs(x)) + l2 * sum(square(x)). The name "l1_l2" stands for 0.01 each.
class L1L2 : public Regularizer {
 public:
  /// Throws ValueError unless both are finite and not negative.
  explicit L1L2(const L1L2Options& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(L1L2, L1L2Options)
  explicit L1L2(double l1, double l2 = 0) : L1L2(L1L2Options{.l1 = l1, .l2 = l2}) {}
};

/// Options of OrthogonalRegularizer.
struct OrthogonalRegularizerOptions {
  double factor = 0.01;       ///< of the penalty
  std::string mode = "rows";  ///< or "columns"
};
/// factor * mean of the absolute dot products between different rows (or columns), each scaled to
/// length 1. For matrices.
class OrthogonalRegularizer : public Regularizer {
 public:
  /// Throws ValueError for a negative factor and for other modes.
  explicit OrthogonalRegularizer(const OrthogonalRegularizerOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(OrthogonalRegularizer, OrthogonalRegularizerOptions)
  explicit OrthogonalRegularizer(double factor)
      : OrthogonalRegularizer(OrthogonalRegularizerOptions{.factor = factor}) {}
};

/// The regularizer with this name: class name or snake-case name. Throws ValueError.
Regularizer get(const std::string& name);
/// Registers a function under a name, so that loaded models find it.
void register_regularizer(const std::string& name, Regularizer::Function function);
/// {"module", "class_name", "config", "registered_name"}, Keras's form; null when nothing is given.
Json serialize(const Regularizer& regularizer);
/// From that form, a name, or null. Throws ValueError for unknown classes and keys.
Regularizer deserialize(const Json& json);

}  // namespace regularizers
}  // namespace antler
