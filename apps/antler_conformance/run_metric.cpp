// Metrics: results after each update, the variables at the end, and the result after a reset.
#include "antler/nn/metrics.h"
#include "evaluate.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

void check_result(const GoldenCase& golden, Check& check, const std::string& name,
                  const Nest& result) {
  if (!result.is_dict()) return check.array(name, result.tensor());
  for (const auto& [key, value] : result.items()) {
    const std::string item = name + "_" + key;
    check.truth(item, golden.has(item), "is not expected");
    if (golden.has(item)) check.array(item, value.tensor());
  }
}

}  // namespace

void run_metric(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  const MetricPtr metric =
      make_or_unsupported([&] { return metrics::deserialize(json.at("metric")); });
  const Json& config = json.at("metric").at("config");
  if (config.contains("name")) check.equal("name", metric->name(), config["name"]);
  const auto array = [&](const Json& name) { return golden.array(name.get<std::string>()); };
  const NestFunction update = evaluated([&](const Nest& arguments) -> Nest {
    const auto [y_true, y_pred, sample_weight] = arguments.unpack<3>();
    metric->update_state(y_true, y_pred, sample_weight);
    return {};
  });
  const Json& updates = json.at("updates");
  for (size_t k = 0; k < updates.size(); ++k) {
    const Json& args = updates[k].at("args");
    const bool weighted =
        updates[k].contains("sample_weight") && updates[k]["sample_weight"].is_string();
    update(std::vector<Nest>{array(args.at(0)), args.size() > 1 ? array(args[1]) : Tensor(),
                             weighted ? array(updates[k]["sample_weight"]) : Tensor()});
    check_result(golden, check, format("result{}", k), metric->result());
  }
  const Variables variables = metric->variables();
  const Json& expected = golden.expectation().at("variables");
  Json names = Json::array();
  for (const Variable& v : variables) names.push_back(v.name());
  Json expected_names = Json::array();
  for (const Json& entry : expected) expected_names.push_back(entry.at(0));
  check.equal("names of the variables", names, expected_names);
  for (size_t j = 0; j < variables.size() && j < expected.size(); ++j) {
    check.array(format("variable{}", j), variables[j].value());
  }
  metric->reset_state();
  check_result(golden, check, "result_after_reset", metric->result());
}

}  // namespace antler::conformance
