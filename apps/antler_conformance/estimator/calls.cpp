#include "estimator/calls.h"

#include <algorithm>
#include <optional>
#include <regex>

#include "antler/ops/ops.h"
#include "estimator/hooks.h"
#include "estimator/inputs.h"
#include "estimator/model.h"
#include "estimator/objects.h"
#include "estimator/saved_models.h"
#include "recorder.h"

namespace antler::conformance::estimators {
namespace {

/// A call with its arguments and what is expected of it.
struct CallAtWork {
  std::string where;
  Scenario& scenario;
  const Json& call;
  const Json& args;
  const Json& expected;
  Check& check;

  const est::Estimator& estimator() const {
    return scenario.estimator(call.at("on").get<std::string>());
  }
  const Json& result() const { return member(expected, "result"); }
  std::optional<std::string> path_argument(const char* key) const {
    const Json& path = member(args, key);
    return path.is_null() ? std::optional<std::string>() : scenario.path(path);
  }
};

/// The path of an export with <TIMESTAMP> as its last part.
Json export_path_json(const Scenario& scenario, const std::optional<std::string>& path) {
  static const std::regex kStamp(R"(/\d{10}$)");
  if (!path) return nullptr;
  return std::regex_replace(scenario.portable(*path), kStamp, "/<TIMESTAMP>");
}

Json eval_result_json(const est::EvalResult& result) {
  Json json = Json::object();
  for (const auto& [name, value] : result) json[name] = to_json(Nest(value));
  return json;
}

void do_estimator(const CallAtWork& at) {
  const auto name = at.call.at("as").get<std::string>();
  at.scenario.add_estimator(
      name, estimator_of(at.scenario, at.call.at("class").get<std::string>(), at.args,
                         model_fn(at.scenario, at.args.at("model").get<std::string>())));
  const est::Estimator& made = at.scenario.estimator(name);
  at.check.json(at.where,
                {{"model_dir", at.scenario.portable(made.model_dir())},
                 {"params", params_json(made.params())},
                 {"eval_dir", at.scenario.portable(made.eval_dir())},
                 {"eval_dir_named", at.scenario.portable(made.eval_dir("n"))}},
                at.result());
}

void do_train(const CallAtWork& at) {
  est::TrainOptions options{
      .hooks = hooks_of(at.scenario, member(at.args, "hooks")),
      .saving_listeners = listeners_of(at.scenario, member(at.args, "saving_listeners"))};
  read_member(at.args, "steps", options.steps);
  read_member(at.args, "max_steps", options.max_steps);
  at.estimator().train(input_fn(at.scenario, member(at.args, "input")), options);
}

void do_evaluate(const CallAtWork& at) {
  est::EvaluateOptions options{.hooks = hooks_of(at.scenario, member(at.args, "hooks")),
                               .checkpoint_path = at.path_argument("checkpoint_path")};
  read_member(at.args, "steps", options.steps);
  read_member(at.args, "name", options.name);
  const est::EvalResult result =
      at.estimator().evaluate(input_fn(at.scenario, member(at.args, "input")), options);
  if (!at.result().is_null()) at.check.json(at.where, eval_result_json(result), at.result());
}

est::PredictOptions predict_options(const CallAtWork& at) {
  est::PredictOptions options{.hooks = hooks_of(at.scenario, member(at.args, "hooks")),
                              .checkpoint_path = at.path_argument("checkpoint_path")};
  if (const Json& keys = member(at.args, "predict_keys"); keys.is_string()) {
    options.predict_keys = {{keys.get<std::string>()}};
  } else if (keys.is_array()) {
    options.predict_keys = keys.get<std::vector<std::string>>();
  }
  read_member(at.args, "yield_single_examples", options.yield_single_examples);
  return options;
}

/// Takes as many predictions as the call says, and records each.
std::vector<Nest> take_predictions(const CallAtWork& at) {
  std::vector<Nest> taken;
  std::optional<int64_t> limit;
  read_member(at.args, "take", limit);
  std::optional<est::Predictions> predictions =
      at.estimator().predict(input_fn(at.scenario, member(at.args, "input")), predict_options(at));
  while (!limit || std::ssize(taken) < *limit) {
    Nest prediction;
    if (!predictions->next(prediction)) {
      at.scenario.note({"predict", "exhausted", nullptr});
      return taken;
    }
    at.scenario.note({"predict", "yield", std::ssize(taken)});
    taken.push_back(prediction);
  }
  predictions.reset();
  at.scenario.note({"predict", "close", nullptr});
  return taken;
}

void check_prediction(const CallAtWork& at, const std::string& key, const Json& want,
                      const std::vector<Nest>& predictions) {
  std::vector<Tensor> parts;
  for (const Nest& prediction : predictions) {
    parts.push_back(key.empty() ? prediction.tensor() : prediction.at(key).tensor());
  }
  const std::string where = format("{} '{}'", at.where, key);
  const auto expected = [&](const Json& name) -> const Tensor& {
    return at.scenario.golden().expected(name.get<std::string>());
  };
  if (want.is_string()) {
    return at.check.arrays(format("{} ({})", where, want.get<std::string>()), ops::stack(parts),
                           expected(want));
  }
  for (size_t i = 0; i < parts.size() && i < want.size(); ++i) {
    at.check.arrays(format("{} batch {}", where, i), parts[i], expected(want[i]));
  }
}

void do_predict(const CallAtWork& at) {
  const std::vector<Nest> predictions = take_predictions(at);
  if (at.expected.contains("count")) {
    at.check.equal(at.where + " count", predictions.size(), at.expected["count"]);
  }
  if (predictions.empty()) return;
  if (at.expected.contains("keys")) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : predictions[0].items()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    at.check.equal(at.where + " keys", keys, at.expected["keys"]);
  }
  for (const auto& [key, want] : at.result().items()) check_prediction(at, key, want, predictions);
}

void finish_export(const CallAtWork& at, const std::string& path) {
  at.scenario.set_last_export(path);
  at.check.equal(at.where, export_path_json(at.scenario, path), at.result());
  check_export(at.where, at.scenario, at.call, at.expected, at.check);
}

est::ExportOptions export_options(const CallAtWork& at) {
  est::ExportOptions options{
      .assets_extra = assets_of(at.scenario, member(at.args, "assets_extra")),
      .checkpoint_path = at.path_argument("checkpoint_path")};
  read_member(at.args, "as_text", options.as_text);
  return options;
}

void do_export(const CallAtWork& at) {
  finish_export(at, at.estimator().export_saved_model(
                        at.scenario.path(at.args.at("export_dir_base")),
                        receiver_fn(at.scenario, member(at.args, "receiver")), export_options(at)));
}

void do_export_all(const CallAtWork& at) {
  std::map<est::ModeKeys, est::ServingInputReceiverFn> receivers;
  for (const auto& [mode, name] : at.args.at("receivers").items()) {
    const est::ModeKeys key = mode == "train"  ? est::ModeKeys::train
                              : mode == "eval" ? est::ModeKeys::eval
                                               : est::ModeKeys::predict;
    receivers[key] = receiver_fn(at.scenario, name);
  }
  finish_export(
      at, at.estimator().experimental_export_all_saved_models(
              at.scenario.path(at.args.at("export_dir_base")), receivers, export_options(at)));
}

void do_train_and_evaluate(const CallAtWork& at) {
  const est::TrainAndEvaluateResult result =
      est::train_and_evaluate(at.estimator(), train_spec_of(at.scenario, at.args.at("train_spec")),
                              eval_spec_of(at.scenario, at.args.at("eval_spec")));
  Json exports = Json::array();
  for (const auto& path : result.exports) exports.push_back(export_path_json(at.scenario, path));
  const Json& want = at.result();
  if (!want.is_array()) return;
  at.check.json(at.where + " metrics",
                result.metrics ? eval_result_json(*result.metrics) : Json(nullptr), want.at(0));
  at.check.equal(at.where + " exports", exports, want.at(1).is_null() ? Json::array() : want.at(1));
}

void do_inspection(const CallAtWork& at, const std::string& method) {
  if (method == "latest_checkpoint") {
    const auto path = at.estimator().latest_checkpoint();
    at.check.equal(at.where, path ? Json(at.scenario.portable(*path)) : Json(nullptr), at.result());
  } else if (method == "get_variable_names") {
    const Json names = at.estimator().get_variable_names();
    if (!at.result().is_null()) at.check.equal(at.where, names, at.result());
  } else if (method == "get_variable_value") {
    const Tensor value = at.estimator().get_variable_value(at.args.at("name").get<std::string>());
    if (at.result().is_string()) {
      at.check.array(at.result().get<std::string>(), value);
    } else if (!at.result().is_null()) {
      at.check.json(at.where, to_json(Nest(value)), at.result());
    }
  } else {
    throw Unsupported{"the call '" + method + "'"};
  }
}

}  // namespace

void run_call(const std::string& where, Scenario& scenario, const Json& call, const Json& expected,
              Check& check) {
  static const Json none = Json::object();
  const CallAtWork at{where,    scenario, call, call.contains("args") ? call["args"] : none,
                      expected, check};
  const auto method = call.at("do").get<std::string>();
  if (method == "estimator") return do_estimator(at);
  if (method == "train") return do_train(at);
  if (method == "evaluate") return do_evaluate(at);
  if (method == "predict") return do_predict(at);
  if (method == "export_saved_model" || method == "export_savedmodel") return do_export(at);
  if (method == "experimental_export_all_saved_models") return do_export_all(at);
  if (method == "train_and_evaluate") return do_train_and_evaluate(at);
  do_inspection(at, method);
}

}  // namespace antler::conformance::estimators
