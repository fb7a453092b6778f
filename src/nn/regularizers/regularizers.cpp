#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "antler/nn/regularizer.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "base/did_you_mean.h"
#include "nn/config_fields.h"

namespace antler {
namespace regularizers {

struct L1Options {
  double l1 = 0.01;
};
struct L2Options {
  double l2 = 0.01;
};
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
    throw ValueError(std::string("Invalid value for argument ") + name +
                     ": expected a non-negative float. Received: " + name + "=" +
                     std::to_string(value));
  }
  return value;
}

/// What Keras, which holds some factors in a float32 tensor, writes for them.
double as_float32(double value) { return static_cast<double>(static_cast<float>(value)); }

template <class Options>
class Penalty final : public RegularizerImpl {
 public:
  Penalty(const char* class_name, Options options, Tensor (*call)(const Tensor&, const Options&))
      : class_name_(class_name), options_(std::move(options)), call_(call) {}
  Tensor call(const Tensor& x) const override { return call_(x, options_); }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override { return config::write(options_); }

 private:
  const char* class_name_;
  Options options_;
  Tensor (*call_)(const Tensor&, const Options&);
};

class FunctionPenalty final : public RegularizerImpl {
 public:
  FunctionPenalty(std::string name, Regularizer::Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  Tensor call(const Tensor& x) const override { return function_(x); }
  std::string class_name() const override { return name_; }
  Json get_config() const override { return Json::object(); }

 private:
  std::string name_;
  Regularizer::Function function_;
};

template <class Options>
std::shared_ptr<const RegularizerImpl> penalty(const char* class_name, Options options,
                                               Tensor (*call)(const Tensor&, const Options&)) {
  return std::make_shared<Penalty<Options>>(class_name, std::move(options), call);
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
    throw ValueError("Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape=" +
                     x.shape().str());
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

std::mutex g_mutex;
std::vector<Regularizer>& custom() {
  static std::vector<Regularizer> instance;
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

struct RegularizerClass {
  const char* name;
  Regularizer (*from_config)(const Json& json);
};
constexpr RegularizerClass kRegularizers[] = {
    {"L1", [](const Json& c) -> Regularizer { return L1(options_of<L1Options>(c, "L1").l1); }},
    {"L2", [](const Json& c) -> Regularizer { return L2(options_of<L2Options>(c, "L2").l2); }},
    {"L1L2", [](const Json& c) -> Regularizer { return L1L2(options_of<L1L2Options>(c, "L1L2")); }},
    {"OrthogonalRegularizer",
     [](const Json& c) -> Regularizer {
       return OrthogonalRegularizer(
           options_of<OrthogonalRegularizerOptions>(c, "OrthogonalRegularizer"));
     }},
};

Regularizer make(const std::string& class_name, const Json& json) {
  std::vector<std::string> known;
  {
    const std::lock_guard lock(g_mutex);
    for (const Regularizer& r : custom()) {
      known.push_back(r.impl().class_name());
      if (known.back() == class_name) return r;
    }
  }
  for (const RegularizerClass& c : kRegularizers) {
    known.push_back(to_snake_case(c.name));
    if (class_name == c.name || class_name == known.back()) return c.from_config(json);
  }
  throw ValueError("Could not interpret regularizer identifier: " + class_name + "." +
                   suggest_names(class_name, "regularizers", known));
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
        "Invalid value for argument `mode`. Expected one of {\"rows\", \"columns\"}. Received: "
        "mode=" +
        options.mode);
  }
}

Regularizer get(const std::string& name) {
  // As a name it has factors of its own; an L1L2 made without arguments does nothing.
  if (name == "l1_l2" || name == "l1l2" || name == "L1L2") return L1L2({.l1 = 0.01, .l2 = 0.01});
  return make(name, Json::object());
}

void register_regularizer(const std::string& name, Regularizer::Function function) {
  const std::lock_guard lock(g_mutex);
  custom().emplace_back(name, std::move(function));
}

Json serialize(const Regularizer& regularizer) {
  if (!regularizer.given()) return nullptr;
  return keras_object("keras.regularizers", regularizer.impl().class_name(),
                      regularizer.impl().get_config());
}

Regularizer deserialize(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return get(json.get<std::string>());
  return make(config::class_name_of(json, "regularizer"), config::config_of(json));
}

}  // namespace regularizers

Regularizer::Regularizer(const char* name) : Regularizer(regularizers::get(name)) {}
Regularizer::Regularizer(const std::string& name) : Regularizer(regularizers::get(name)) {}
Regularizer::Regularizer(std::string name, Function function)
    : impl_(std::make_shared<regularizers::FunctionPenalty>(std::move(name), std::move(function))) {
}

Tensor Regularizer::operator()(const Tensor& x) const {
  if (!given()) throw ValueError("A regularizer that was not given has no penalty.");
  return impl_->call(x);
}

}  // namespace antler
