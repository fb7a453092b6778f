// Rows of wrong_use: objects of the API and their methods. Specs are in wrong_use_specs.cpp.
#include "antler/estimator/iteration_count.h"
#include "estimator/early_stopping_hooks.h"
#include "estimator/hooks.h"
#include "estimator/objects.h"
#include "estimator/tables.h"
#include "estimator/wrong_use_specs.h"

namespace antler::conformance::estimators {
namespace {

const Json kAccepted = {{"accepted", true}};

est::ModelFn any_model_fn(const Json& value) {
  if (value.is_null()) return {};
  return [](const est::ModelFnArgs&) { return est::EstimatorSpec(); };
}

/// {"@fn": parameters}.
est::InputFn any_input_fn(const Json& value) {
  if (value.is_null()) return {};
  const auto rows = [] { return est::InputData(Tensor::zeros(DType::float32, {2, 2})); };
  if (member(value, "@fn").empty()) return rows;
  return [rows](const est::InputFnArgs&) { return rows(); };
}

est::ServingInputReceiverFn any_receiver_fn(const Json& value) {
  if (value.is_null()) return {};
  return [] { return est::ServingInputReceiver(); };
}

est::Estimator make_estimator(Scenario& scenario, const std::string& name, const Json& args) {
  return estimator_of(scenario, name, args, any_model_fn(member(args, "model_fn")));
}

/// An argument {"@make": class, "args": {...}} that is an estimator.
est::Estimator made_estimator(Scenario& scenario, const Json& value) {
  return make_estimator(scenario, value.at("@make").get<std::string>(), arguments_of(value));
}

void call_estimator(Scenario& scenario, const est::Estimator& estimator, const Json& then) {
  const auto method = then.at("method").get<std::string>();
  const Json& args = arguments_of(then);
  const est::InputFn input = any_input_fn(member(args, "input_fn"));
  if (method == "train") {
    est::TrainOptions options;
    read_member(args, "steps", options.steps);
    read_member(args, "max_steps", options.max_steps);
    estimator.train(input, options);
  } else if (method == "evaluate") {
    est::EvaluateOptions options;
    read_member(args, "steps", options.steps);
    estimator.evaluate(input, options);
  } else if (method == "predict") {
    Nest prediction;
    estimator.predict(input).next(prediction);
  } else if (method == "get_variable_names") {
    estimator.get_variable_names();
  } else if (method == "get_variable_value") {
    estimator.get_variable_value(args.at("name").get<std::string>());
  } else if (method == "export_saved_model") {
    estimator.export_saved_model(scenario.path(args.at("export_dir_base")),
                                 any_receiver_fn(member(args, "serving_input_receiver_fn")));
  } else {
    throw Unsupported{"the method '" + method + "'"};
  }
}

Json estimator_row(Scenario& scenario, const std::string& name, const Json& row) {
  const est::Estimator made = make_estimator(scenario, name, row.at("args"));
  for (const Json& then : member(row, "then")) call_estimator(scenario, made, then);
  Json values = Json::object();
  for (const Json& entry : member(row, "get")) {
    const auto property = entry.get<std::string>();
    constexpr std::string_view kConfig = "config.";
    values[property] =
        property.starts_with(kConfig)
            ? config_property(scenario, made.config(), property.substr(kConfig.size()))
            : Json(scenario.portable(made.model_dir()));
  }
  return {{"accepted", true}, {"values", values}};
}

Json run_config_row(Scenario& scenario, const Json& row) {
  est::RunConfig config(run_config_options(scenario, row.at("args")));
  for (const Json& then : member(row, "then"))
    config = config.replace(params_of(arguments_of(then)));
  Json values = Json::object();
  for (const Json& name : member(row, "get")) {
    values[name.get<std::string>()] = config_property(scenario, config, name.get<std::string>());
  }
  return {{"accepted", true}, {"values", values}};
}

Json tpu_run_config_row(Scenario& scenario, const Json& row) {
  est::tpu::RunConfig config = tpu_run_config(scenario, row.at("args"));
  for (const Json& then : member(row, "then"))
    config = config.replace(params_of(arguments_of(then)));
  constexpr std::string_view kTPUConfig = "tpu_config.";
  Json values = Json::object();
  for (const Json& entry : member(row, "get")) {
    const auto name = entry.get<std::string>();
    values[name] = name.starts_with(kTPUConfig)
                       ? tpu_config_property(config.tpu_config(), name.substr(kTPUConfig.size()))
                       : config_property(scenario, config, name);
  }
  return {{"accepted", true}, {"values", values}};
}

Json tpu_config_row(const Json& row) {
  const est::tpu::TPUConfig config(tpu_config_options(row.at("args")));
  Json values = Json::object();
  for (const Json& name : member(row, "get")) {
    values[name.get<std::string>()] = tpu_config_property(config, name.get<std::string>());
  }
  return {{"accepted", true}, {"values", values}};
}

est::TrainSpec train_spec(const Json& args) {
  est::TrainSpec spec{.input_fn = any_input_fn(member(args, "input_fn"))};
  read_member(args, "max_steps", spec.max_steps);
  return spec;
}

est::ExporterPtr table_exporter(Scenario& scenario, const std::string& name, const Json& args) {
  if (name == "BestExporter" && args.contains("compare_fn") && args["compare_fn"].is_null()) {
    return est::BestExporter({.compare_fn = nullptr});
  }
  return exporter_of(scenario, name, args,
                     any_receiver_fn(member(args, "serving_input_receiver_fn")));
}

est::EvalSpec eval_spec(Scenario& scenario, const Json& args) {
  est::EvalSpec spec{.input_fn = any_input_fn(member(args, "input_fn"))};
  read_member(args, "steps", spec.steps);
  read_member(args, "name", spec.name);
  read_member(args, "start_delay_secs", spec.start_delay_secs);
  read_member(args, "throttle_secs", spec.throttle_secs);
  for (const Json& exporter : member(args, "exporters")) {
    spec.exporters.push_back(
        table_exporter(scenario, exporter.at("@make").get<std::string>(), arguments_of(exporter)));
  }
  return spec;
}

Json eval_spec_row(Scenario& scenario, const Json& row) {
  const est::EvalSpec spec = eval_spec(scenario, row.at("args"));
  spec.check();
  const Json all = {{"steps", spec.steps ? Json(*spec.steps) : Json(nullptr)},
                    {"name", spec.name ? Json(*spec.name) : Json(nullptr)},
                    {"start_delay_secs", spec.start_delay_secs},
                    {"throttle_secs", spec.throttle_secs}};
  Json values = Json::object();
  for (const Json& name : member(row, "get"))
    values[name.get<std::string>()] = all.at(name.get<std::string>());
  return {{"accepted", true}, {"values", values}};
}

Json train_and_evaluate_row(Scenario& scenario, const Json& args) {
  const auto spec_args = [&](const char* key) -> const Json& {
    static const Json none = Json::object();
    const Json& value = member(args, key);
    return value.is_null() ? none : arguments_of(value);
  };
  est::train_and_evaluate(made_estimator(scenario, args.at("estimator")),
                          train_spec(spec_args("train_spec")),
                          eval_spec(scenario, spec_args("eval_spec")));
  return kAccepted;
}

Json stop_at_row(const Json& args) {
  est::tpu::ExecutionStepsOptions options;
  read_member(args, "num_steps", options.num_steps);
  read_member(args, "final_step", options.final_step);
  const est::tpu::ExecutionSteps steps(
      est::tpu::TPUConfig(
          tpu_config_options({{"iterations_per_loop", args.at("iterations_per_loop")}})),
      options);
  return kAccepted;
}

/// A row with a hook that takes an estimator, which the row makes.
Json estimator_hook_row(Scenario& scenario, const std::string& name, Json args) {
  scenario.add_estimator("made", made_estimator(scenario, args.at("estimator")));
  args["estimator"] = "made";
  if (name == "InMemoryEvaluatorHook") {
    est::InMemoryEvaluatorHookOptions options;
    read_member(args, "every_n_iter", options.every_n_iter);
    est::in_memory_evaluator_hook(scenario.estimator("made"),
                                  any_input_fn(member(args, "input_fn")), options);
  } else {
    early_stopping_hook(scenario, name, args);
  }
  return kAccepted;
}

}  // namespace

Json wrong_use_row(Scenario& scenario, const Json& row) {
  const auto name = row.at("class").get<std::string>();
  const Json& args = row.at("args");
  if (name == "RunConfig") return run_config_row(scenario, row);
  if (name == "tpu.RunConfig") return tpu_run_config_row(scenario, row);
  if (name == "TPUConfig") return tpu_config_row(row);
  if (name == "Estimator" || name == "TPUEstimator") return estimator_row(scenario, name, row);
  if (name == "EvalSpec") return eval_spec_row(scenario, row);
  if (name == "train_and_evaluate") return train_and_evaluate_row(scenario, args);
  if (name == "TPUStopAtStepHook") return stop_at_row(args);
  if (name == "TrainSpec") {
    train_spec(args).check();
    return kAccepted;
  }
  if (name.ends_with("Exporter")) {
    table_exporter(scenario, name, args);
    return kAccepted;
  }
  if (name == "SecondOrStepTimer") {
    const est::SecondOrStepTimer timer(optional_of<double>(member(args, "every_secs")),
                                       optional_of<int64_t>(member(args, "every_steps")));
    return kAccepted;
  }
  if (name == "IterationCountEstimator") {
    const est::tpu::IterationCountEstimator estimator(args.at("capacity").get<int64_t>());
    return kAccepted;
  }
  if (args.contains("estimator")) return estimator_hook_row(scenario, name, args);
  if (name.find("Hook") != std::string::npos) {
    hook_of(scenario, {{"class", name}, {"args", args}});
    return kAccepted;
  }
  return spec_row(name, row);
}

}  // namespace antler::conformance::estimators
