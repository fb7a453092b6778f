#include <cmath>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/layer.h"
#include "antler/nn/registered_names.h"
#include "antler/nn/regularizer.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/object_registry.h"
#include "nn/tensor_function.h"

namespace antler {
namespace regularizers {

template <class V>
void fields(V& v, L1Options& o) {
  v("l1", o.l1);
}
template <class V>
void fields(V& v, L2Options& o) {
  v("l2", o.l2);
}
template <class V>
void fields(V& v, L1L2Options& o) {
  v("l1", o.l1);
  v("l2", o.l2);
}
template <class V>
void fields(V& v, OrthogonalRegularizerOptions& o) {
  v("factor", o.factor);
  v("mode", o.mode);
}

namespace {

double checked(double value, const char* name) {
  if (!std::isfinite(value) || value < 0) {
    throw ValueError(
        "Invalid value for argument {}: expected a non-negative float. Received: {}={}", name, name,
        value);
  }
  return value;
}

/// The value as Keras writes it, which keeps some factors as float32.
double as_float32(double value) { return static_cast<double>(static_cast<float>(value)); }

template <class Options>
std::shared_ptr<const RegularizerImpl> penalty(const char* class_name, Options options,
                                               Tensor (*call)(const Tensor&, const Options&)) {
  return std::make_shared<TensorFunction<RegularizerImpl, Options>>(class_name, std::move(options),
                                                                    call);
}

Tensor sum_of_magnitudes(const Tensor& x) { return ops::sum(ops::absolute(x)); }
Tensor sum_of_squares(const Tensor& x) { return ops::sum(ops::square(x)); }

Tensor l1_l2(const Tensor& x, const L1L2Options& o) {
  Tensor total = Tensor::zeros(x.dtype(), {});
  if (o.l1 != 0) total = total + sum_of_magnitudes(x) * Tensor(o.l1);
  if (o.l2 != 0) total = total + sum_of_squares(x) * Tensor(o.l2);
  return total;
}

Tensor orthogonal(const Tensor& x, const OrthogonalRegularizerOptions& o) {
  if (x.rank() != 2) {
    throw ValueError("Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape={}",
                     x.shape());
  }
  const int axis = o.mode == "rows" ? 1 : 0;
  const Tensor vectors = ops::normalize(x, {axis});
  const Tensor products =
      ops::dot_general(vectors, vectors, {.lhs_contract = {axis}, .rhs_contract = {axis}});
  const int64_t size = products.shape()[0];
  const Tensor different =
      products * (Tensor(1.0) - ops::eye(size, std::nullopt, 0, products.dtype()));
  const double pairs = static_cast<double>(size) * static_cast<double>(size - 1) / 2;
  return sum_of_magnitudes(different) * Tensor(0.5 * o.factor) / Tensor(pairs);
}

const Registry<Regularizer>& registry() {
  static constexpr ObjectClass<Regularizer> kRegularizers[] = {
      {"L1", [](const Json& c) -> Regularizer { return L1(config::read<L1Options>(c, "L1").l1); }},
      {"L2", [](const Json& c) -> Regularizer { return L2(config::read<L2Options>(c, "L2").l2); }},
      {"L1L2",
       [](const Json& c) -> Regularizer { return L1L2(config::read<L1L2Options>(c, "L1L2")); }},
      {"OrthogonalRegularizer",
       [](const Json& c) -> Regularizer {
         return OrthogonalRegularizer(
             config::read<OrthogonalRegularizerOptions>(c, "OrthogonalRegularizer"));
       }},
  };
  static const Registry<Regularizer> instance({.singular = "regularizer",
                                               .plural = "regularizers",
                                               .module = "keras.regularizers",
                                               .spelling = ObjectKind::Spelling::or_snake_case},
                                              {kRegularizers});
  return instance;
}

}  // namespace

L1::L1(double l1)
    : Regularizer(penalty<L1Options>("L1", {as_float32(checked(l1, "l1"))},
                                     [](const Tensor& x, const L1Options& o) {
                                       return sum_of_magnitudes(x) * Tensor(o.l1);
                                     })) {}

L2::L2(double l2)
    : Regularizer(penalty<L2Options>(
          "L2", {checked(l2, "l2")},
          [](const Tensor& x, const L2Options& o) { return sum_of_squares(x) * Tensor(o.l2); })) {}

L1L2::L1L2(const L1L2Options& options)
    : Regularizer(penalty<L1L2Options>(
          "L1L2", {checked(options.l1, "l1"), checked(options.l2, "l2")}, l1_l2)) {}

OrthogonalRegularizer::OrthogonalRegularizer(const OrthogonalRegularizerOptions& options)
    : Regularizer(penalty<OrthogonalRegularizerOptions>(
          "OrthogonalRegularizer", {as_float32(checked(options.factor, "factor")), options.mode},
          orthogonal)) {
  if (options.mode != "rows" && options.mode != "columns") {
    throw ValueError(
        "Invalid value for argument `mode`. Expected one of {{\"rows\", \"columns\"}}. Received: "
        "mode={}",
        options.mode);
  }
}

std::vector<std::string> registered_regularizers() { return registry().names(); }

Regularizer get(const std::string& name) {
  // The name has factors of its own, whereas a default L1L2 does nothing.
  if (name == "l1_l2" || name == "l1l2" || name == "L1L2") return L1L2({.l1 = 0.01, .l2 = 0.01});
  return registry().make(name);
}

void register_regularizer(const std::string& name, Regularizer::Function function) {
  register_object(name, [regularizer = Regularizer(name, std::move(function))](const Json&) {
    return regularizer;
  });
}

Json serialize(const Regularizer& regularizer) {
  if (!regularizer.given()) return nullptr;
  return registry().serialize(regularizer.impl().class_name(), regularizer.impl().get_config());
}

Regularizer deserialize(const Json& json) {
  return json.is_null() ? Regularizer() : registry().deserialize(json);
}

}  // namespace regularizers

std::string RegularizerImpl::class_name() const { return internal::class_name(typeid(*this)); }

Json RegularizerImpl::get_config() const {
  throw NotImplementedError("Regularizer {} must override `get_config` to be saved.", class_name());
}

Regularizer::Regularizer(const char* name) : Regularizer(regularizers::get(name)) {}
Regularizer::Regularizer(const std::string& name) : Regularizer(regularizers::get(name)) {}
Regularizer::Regularizer(std::string name, Function function)
    : impl_(std::make_shared<NamedTensorFunction<RegularizerImpl>>(std::move(name),
                                                                   std::move(function))) {}

Tensor Regularizer::operator()(const Tensor& x) const {
  if (!given()) throw ValueError("Cannot compute a penalty: no regularizer was given.");
  return impl_->call(x);
}

}  // namespace antler
