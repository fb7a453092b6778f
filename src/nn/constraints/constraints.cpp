#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/constraint.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/did_you_mean.h"
#include "nn/config_fields.h"

namespace antler {
namespace constraints {

struct NoOptions {};
template <class V>
void fields(V&, NoOptions&) {}
template <class V>
void fields(V& v, MaxNormOptions& o) {
  v("max_value", o.max_value);
  v("axis", o.axis);
}
template <class V>
void fields(V& v, UnitNormOptions& o) {
  v("axis", o.axis);
}
template <class V>
void fields(V& v, MinMaxNormOptions& o) {
  v("min_value", o.min_value);
  v("max_value", o.max_value);
  v("rate", o.rate);
  v("axis", o.axis);
}

namespace {

/// Keeps divisions by a norm finite; Keras's backend.epsilon().
constexpr double kEpsilon = 1e-7;

template <class Options>
class Projection final : public ConstraintImpl {
 public:
  Projection(const char* class_name, Options options, Tensor (*call)(const Tensor&, const Options&))
      : class_name_(class_name), options_(std::move(options)), call_(call) {}
  Tensor call(const Tensor& w) const override { return call_(w, options_); }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override { return config::write(options_); }

 private:
  const char* class_name_;
  Options options_;
  Tensor (*call_)(const Tensor&, const Options&);
};

class FunctionProjection final : public ConstraintImpl {
 public:
  FunctionProjection(std::string name, Constraint::Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  Tensor call(const Tensor& w) const override { return function_(w); }
  std::string class_name() const override { return name_; }
  Json get_config() const override { return Json::object(); }

 private:
  std::string name_;
  Constraint::Function function_;
};

template <class Options>
std::shared_ptr<const ConstraintImpl> projection(const char* class_name, Options options,
                                                 Tensor (*call)(const Tensor&, const Options&)) {
  return std::make_shared<Projection<Options>>(class_name, std::move(options), call);
}

Tensor norms_of(const Tensor& w, const AxisList& axis) {
  return ops::sqrt(ops::sum(ops::square(w), axis.values(), true));
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
        "shape=" +
        w.shape().str());
  }
  const int64_t size = w.shape()[0];
  const int64_t middle = size / 2;
  const bool odd = size % 2 == 1;
  std::vector<int32_t> sources;
  for (int64_t y = 0; y < size; ++y) {
    for (int64_t x = 0; x < size; ++x) {
      // Distance to the centre, which is one element, or 2 x 2 for an even size.
      const auto distance = [&](int64_t i) { return i >= middle ? i - middle : middle - !odd - i; };
      const int64_t ring = std::max(distance(y), distance(x));
      const int64_t at = ring == 0 ? std::max<int64_t>(middle - 1, 0) : middle + ring - odd;
      sources.push_back(static_cast<int32_t>(at * size + at));
    }
  }
  const Tensor flat = ops::reshape(w, {size * size, w.shape()[2], w.shape()[3]});
  return ops::reshape(ops::take(flat, Tensor::of<int32_t>(sources), 0), w.shape());
}

std::mutex g_mutex;
std::vector<Constraint>& custom() {
  static std::vector<Constraint> instance;
  return instance;
}

/// Reads all fields; throws ValueError for keys that the class does not have.
template <class Options>
Options options_of(const Json& json, const char* class_name) {
  Options options;
  FieldReader reader(json, class_name);
  fields(reader, options);
  reader.finish();
  return options;
}

struct ConstraintClass {
  const char* name;
  Constraint (*from_config)(const Json& json);
};
constexpr ConstraintClass kConstraints[] = {
    {"MaxNorm",
     [](const Json& c) -> Constraint { return MaxNorm(options_of<MaxNormOptions>(c, "MaxNorm")); }},
    {"MinMaxNorm",
     [](const Json& c) -> Constraint {
       return MinMaxNorm(options_of<MinMaxNormOptions>(c, "MinMaxNorm"));
     }},
    {"UnitNorm",
     [](const Json& c) -> Constraint {
       return UnitNorm(options_of<UnitNormOptions>(c, "UnitNorm"));
     }},
    {"NonNeg",
     [](const Json& c) -> Constraint {
       options_of<NoOptions>(c, "NonNeg");
       return NonNeg();
     }},
    {"RadialConstraint",
     [](const Json& c) -> Constraint {
       options_of<NoOptions>(c, "RadialConstraint");
       return RadialConstraint();
     }},
};

Constraint make(const std::string& class_name, const Json& json) {
  std::vector<std::string> known;
  {
    const std::lock_guard lock(g_mutex);
    for (const Constraint& c : custom()) {
      known.push_back(c.impl().class_name());
      if (known.back() == class_name) return c;
    }
  }
  for (const ConstraintClass& c : kConstraints) {
    known.push_back(to_snake_case(c.name));
    if (class_name == c.name || class_name == known.back()) return c.from_config(json);
  }
  throw ValueError("Invalid constraint identifier: " + class_name + "." +
                   suggest_names(class_name, "constraints", known));
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

Constraint get(const std::string& name) { return make(name, Json::object()); }

void register_constraint(const std::string& name, Constraint::Function function) {
  const std::lock_guard lock(g_mutex);
  custom().emplace_back(name, std::move(function));
}

Json serialize(const Constraint& constraint) {
  if (!constraint.given()) return nullptr;
  return keras_object("keras.constraints", constraint.impl().class_name(),
                      constraint.impl().get_config());
}

Constraint deserialize(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return get(json.get<std::string>());
  return make(config::class_name_of(json, "constraint"), config::config_of(json));
}

}  // namespace constraints

Constraint::Constraint(const char* name) : Constraint(constraints::get(name)) {}
Constraint::Constraint(const std::string& name) : Constraint(constraints::get(name)) {}
Constraint::Constraint(std::string name, Function function)
    : impl_(std::make_shared<constraints::FunctionProjection>(std::move(name),
                                                              std::move(function))) {}

Tensor Constraint::operator()(const Tensor& w) const { return given() ? impl_->call(w) : w; }

}  // namespace antler
