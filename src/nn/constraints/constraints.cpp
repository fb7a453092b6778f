#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/constraint.h"
#include "antler/nn/layer.h"
#include "antler/nn/registered_names.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/type_name.h"
#include "nn/axes_field.h"
#include "nn/object_registry.h"
#include "nn/tensor_function.h"

namespace antler {
namespace constraints {

struct NoOptions {};
template <class V>
void fields(V&, NoOptions&) {}
template <class V>
void fields(V& v, MaxNormOptions& o) {
  v("max_value", o.max_value);
  axes_or_null(v, o.axis);
}
template <class V>
void fields(V& v, UnitNormOptions& o) {
  axes_or_null(v, o.axis);
}
template <class V>
void fields(V& v, MinMaxNormOptions& o) {
  v("min_value", o.min_value);
  v("max_value", o.max_value);
  v("rate", o.rate);
  axes_or_null(v, o.axis);
}

namespace {

/// Keeps divisions by a norm finite; Keras's backend.epsilon().
constexpr double kEpsilon = 1e-7;

template <class Options>
std::shared_ptr<const ConstraintImpl> projection(const char* class_name, Options options,
                                                 Tensor (*call)(const Tensor&, const Options&)) {
  return std::make_shared<TensorFunction<ConstraintImpl, Options>>(class_name, std::move(options),
                                                                   call);
}

Tensor norms_of(const Tensor& w, const AxisList& axis) {
  return ops::sqrt(ops::sum(ops::square(w), axis.values(), {.keepdims = true}));
}

Tensor max_norm(const Tensor& w, const MaxNormOptions& o) {
  const Tensor norms = norms_of(w, o.axis);
  return w * (ops::clip(norms, Tensor(0.0), Tensor(o.max_value)) / (norms + Tensor(kEpsilon)));
}

Tensor unit_norm(const Tensor& w, const UnitNormOptions& o) {
  return w / (norms_of(w, o.axis) + Tensor(kEpsilon));
}

Tensor min_max_norm(const Tensor& w, const MinMaxNormOptions& o) {
  const Tensor norms = norms_of(w, o.axis);
  const Tensor wanted =
      ops::clip(norms, Tensor(o.min_value), Tensor(o.max_value)) * Tensor(o.rate) +
      norms * Tensor(1 - o.rate);
  return w * (wanted / (norms + Tensor(kEpsilon)));
}

Tensor radial(const Tensor& w, const NoOptions&) {
  if (w.rank() != 4 || w.shape()[0] != w.shape()[1]) {
    throw ValueError(
        "The weight tensor of RadialConstraint must be of shape [size, size, in, out]. Received: "
        "shape={}",
        w.shape());
  }
  const int64_t size = w.shape()[0];
  const int64_t middle = size / 2;
  const bool odd = size % 2 == 1;
  std::vector<int32_t> sources;
  for (int64_t y = 0; y < size; ++y) {
    for (int64_t x = 0; x < size; ++x) {
      // Distance to the center, which is one element, or 2 x 2 elements for an even size.
      const auto distance = [&](int64_t i) { return i >= middle ? i - middle : middle - !odd - i; };
      const int64_t ring = std::max(distance(y), distance(x));
      const int64_t at = ring == 0 ? std::max<int64_t>(middle - 1, 0) : middle + ring - odd;
      sources.push_back(static_cast<int32_t>(at * size + at));
    }
  }
  const Tensor flat = ops::reshape(w, {size * size, w.shape()[2], w.shape()[3]});
  return ops::reshape(ops::take(flat, Tensor::of<int32_t>(sources), 0), w.shape());
}

template <class C, class Options>
Constraint from_config(const Json& config) {
  const auto options = config::read<Options>(config, type_name<C>());
  if constexpr (std::is_same_v<Options, NoOptions>) {
    return C();
  } else {
    return C(options);
  }
}

template <class C, class Options>
constexpr ObjectClass<Constraint> constraint_class() {
  return {type_name<C>(), from_config<C, Options>};
}

const Registry<Constraint>& registry() {
  static constexpr ObjectClass<Constraint> kConstraints[] = {
      constraint_class<MaxNorm, MaxNormOptions>(),
      constraint_class<MinMaxNorm, MinMaxNormOptions>(),
      constraint_class<UnitNorm, UnitNormOptions>(),
      constraint_class<NonNeg, NoOptions>(),
      constraint_class<RadialConstraint, NoOptions>(),
  };
  static const Registry<Constraint> instance({.singular = "constraint",
                                              .plural = "constraints",
                                              .module = "keras.constraints",
                                              .spelling = ObjectKind::Spelling::or_snake_case},
                                             {kConstraints});
  return instance;
}

}  // namespace

MaxNorm::MaxNorm(double max_value, MaxNormOptions options)
    : MaxNorm(by_position<&MaxNormOptions::max_value>("MaxNorm", std::move(options), max_value)) {}

MaxNorm::MaxNorm(const MaxNormOptions& options)
    : Constraint(projection<MaxNormOptions>("MaxNorm", options, max_norm)) {}
NonNeg::NonNeg()
    : Constraint(projection<NoOptions>("NonNeg", {}, [](const Tensor& w, const NoOptions&) {
        return ops::maximum(w, Tensor(0.0));
      })) {}
UnitNorm::UnitNorm(const UnitNormOptions& options)
    : Constraint(projection<UnitNormOptions>("UnitNorm", options, unit_norm)) {}
MinMaxNorm::MinMaxNorm(const MinMaxNormOptions& options)
    : Constraint(projection<MinMaxNormOptions>("MinMaxNorm", options, min_max_norm)) {}
RadialConstraint::RadialConstraint()
    : Constraint(projection<NoOptions>("RadialConstraint", {}, radial)) {}

std::vector<std::string> registered_constraints() { return registry().names(); }

Constraint get(const std::string& name) { return registry().make(name); }

void register_constraint(const std::string& name, Constraint::Function function) {
  register_object(name, [constraint = Constraint(name, std::move(function))](const Json&) {
    return constraint;
  });
}

Json serialize(const Constraint& constraint) {
  if (!constraint.given()) return nullptr;
  return registry().serialize(constraint.impl().class_name(), constraint.impl().get_config());
}

Constraint deserialize(const Json& json) {
  return json.is_null() ? Constraint() : registry().deserialize(json);
}

}  // namespace constraints

std::string ConstraintImpl::class_name() const { return internal::class_name(typeid(*this)); }

Json ConstraintImpl::get_config() const {
  throw NotImplementedError("Constraint {} must override `get_config` to be saved.", class_name());
}

Constraint::Constraint(const char* name) : Constraint(constraints::get(name)) {}
Constraint::Constraint(const std::string& name) : Constraint(constraints::get(name)) {}
Constraint::Constraint(std::string name, Function function)
    : impl_(std::make_shared<NamedTensorFunction<ConstraintImpl>>(std::move(name),
                                                                  std::move(function))) {}

Tensor Constraint::operator()(const Tensor& w) const { return given() ? impl_->call(w) : w; }

}  // namespace antler
