#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/nn/optimizer.h"
#include "antler/nn/optimizers/schedules.h"
#include "base/strings.h"
#include "base/type_name.h"
#include "nn/config_fields.h"
#include "nn/object_registry.h"

/// Shared by the optimizers. Each source file ends with its class; optimizer_list.cpp joins the
/// classes.
namespace antler {

template <class V, class O>
void base_fields(V& v, O& o) {
  v("weight_decay", o.weight_decay);
  v("clipnorm", o.clipnorm);
  v("global_clipnorm", o.global_clipnorm);
  v("clipvalue", o.clipvalue);
  v("use_ema", o.use_ema);
  v("ema_momentum", o.ema_momentum);
  v("ema_overwrite_frequency", o.ema_overwrite_frequency);
  v("loss_scale_factor", o.loss_scale_factor);
  v("gradient_accumulation_steps", o.gradient_accumulation_steps);
}

template <class V>
void fields(V& v, OptimizerBaseOptions& o) {
  v("name", o.name);
  base_fields(v, o);
}

inline void write_field(Json& out, const LearningRate& rate) {
  out = rate.is_schedule() ? optimizers::schedules::serialize(rate.schedule()) : Json(rate.value());
}

/// Lets read_field() see null, so that it can throw as Keras does.
template <>
inline constexpr bool kTakesNull<LearningRate> = true;

inline void read_field(const Json& in, LearningRate& rate) {
  if (in.is_null()) throw TypeError("expected a number or a schedule");
  rate = in.is_number() ? LearningRate(in.get<double>())
                        : LearningRate(optimizers::schedules::deserialize(in));
}

}  // namespace antler

namespace antler::optimizers {

/// The fields of all optimizers.
template <class V, class O>
void common_fields(V& v, O& o) {
  v("name", o.name);
  v("learning_rate", o.learning_rate);
  base_fields(v, o);
}

/// The options of the base class.
template <class O>
OptimizerBaseOptions base_of(const O& o) {
  return {.weight_decay = o.weight_decay,
          .clipnorm = o.clipnorm,
          .clipvalue = o.clipvalue,
          .global_clipnorm = o.global_clipnorm,
          .use_ema = o.use_ema,
          .ema_momentum = o.ema_momentum,
          .ema_overwrite_frequency = o.ema_overwrite_frequency,
          .loss_scale_factor = o.loss_scale_factor,
          .gradient_accumulation_steps = o.gradient_accumulation_steps,
          .name = o.name};
}

using OptimizerClass = ObjectClass<OptimizerPtr>;

/// An optimizer from its configuration. Throws ValueError for unknown arguments.
template <class O, class Options>
OptimizerPtr from_config(const Json& config) {
  Json given = config;
  // Keras 2 writes these; they have no effect.
  for (const char* key : {"jit_compile", "is_legacy_optimizer", "decay"}) given.erase(key);
  Json known = config::write(Options());
  for (const auto& [key, value] : given.items()) {
    if (known.contains(key)) continue;
    std::vector<std::string> names;
    for (const auto& [name, unused] : known.items()) names.push_back(name);
    throw ValueError("Argument(s) not recognized: {{'{}': {}}}. Expected some of: {}.", key,
                     value.dump(), join(names));
  }
  return std::make_shared<O>(config::read<Options>(given));
}

/// An optimizer of class O, made from `Options`.
template <class O, class Options = typename O::Options>
OptimizerClass optimizer_class() {
  return {type_name<O>(), from_config<O, Options>};
}

OptimizerClass sgd_optimizer();
OptimizerClass rmsprop_optimizer();
OptimizerClass adam_optimizer();
OptimizerClass adamw_optimizer();
OptimizerClass adamax_optimizer();
OptimizerClass nadam_optimizer();
OptimizerClass adadelta_optimizer();
OptimizerClass adagrad_optimizer();
OptimizerClass adafactor_optimizer();
OptimizerClass ftrl_optimizer();
OptimizerClass lion_optimizer();
OptimizerClass lamb_optimizer();
OptimizerClass muon_optimizer();
OptimizerClass schedule_free_adamw_optimizer();
OptimizerClass loss_scale_optimizer();
OptimizerClass multi_optimizer();

/// Whether one of the regular expressions is found in `text` (Python's re.search).
bool matches_any(const std::vector<std::string>& expressions, const std::string& text);
/// The base options of a wrapper, which has only a name.
inline OptimizerBaseOptions only_name(const std::string& name) {
  OptimizerBaseOptions options;
  options.name = name;
  return options;
}

}  // namespace antler::optimizers

namespace antler {

template <class Derived, class Options>
OptimizerOf<Derived, Options>::OptimizerOf(const Options& options, std::string class_name)
    : OptimizerBase<Derived>(
          class_name.empty() ? std::string(type_name<Derived>()) : std::move(class_name),
          options.learning_rate, optimizers::base_of(options)),
      options_(options),
      write_(config::write<Options>) {}

template <class Derived, class Options>
Json OptimizerOf<Derived, Options>::get_config() const {
  Json config = Optimizer::get_config();  // has the current learning rate
  const Json own = write_(options_);
  for (const auto& [key, value] : own.items()) {
    if (!config.contains(key)) config[key] = value;
  }
  return config;
}

}  // namespace antler
