#include "dashboard/dashboard.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/runtime/config.h"
#include "antler/training/model.h"
#include "dashboard/dashboard_callback.h"
#include "dashboard/dashboard_server.h"
#include "dashboard/dashboard_state.h"

namespace antler::cli {
namespace {

int64_t elements(const Variables& variables) {
  int64_t sum = 0;
  for (const Variable& variable : variables) sum += variable.shape().num_elements();
  return sum;
}

/// "adam", or {"class_name": "Adam", ...}.
std::string name_in(const Json& config) {
  if (config.is_string()) return config.get<std::string>();
  if (config.is_object() && config.contains("config") && config["config"].is_string()) {
    return config["config"].get<std::string>();  // a function
  }
  if (config.is_object() && config.contains("class_name")) return name_in(config["class_name"]);
  return config.is_null() ? "" : config.dump();
}

Json facts_of(const DashboardRun& run) {
  return {{"command", run.command},
          {"model", run.model_path},
          {"data", run.data_path},
          {"batch_size", run.batch_size}};
}

Json facts_of(const Model& model, const LoadedData& data) {
  const Json compiled = model.get_compile_config();
  return {{"found", data.found},
          {"optimizer", model.has_optimizer() ? model.optimizer().class_name() : ""},
          {"loss", name_in(compiled.value("loss", Json()))},
          {"device", config::device()},
          {"threads", config::threads()},
          {"parameters", elements(model.weights())},
          {"trainable_parameters", elements(model.trainable_variables())},
          {"summary", model.built() ? model.summary_text() : ""}};
}

}  // namespace

Dashboard::Dashboard(DashboardRun run)
    : run_(std::move(run)), state_(std::make_shared<DashboardState>()) {
  state_->set_facts(facts_of(run_));
}
Dashboard::~Dashboard() = default;

std::string Dashboard::serve(int port) {
  server_ = std::make_unique<DashboardServer>(state_, port);
  return format("http://127.0.0.1:{}/", server_->port());
}

CallbackHandle Dashboard::watch(const Model& model, const LoadedData& data, int64_t rows,
                                Samples validation) {
  Json facts = facts_of(run_);
  facts.update(facts_of(model, data));
  state_->set_facts(std::move(facts));
  std::optional<ValidationProbe> probe;
  if (validation.given()) probe.emplace(std::move(validation), data.plan, run_.batch_size);
  return std::make_shared<DashboardCallback>(state_, run_.batch_size, rows, std::move(probe));
}

void Dashboard::end(const std::string& state, const std::string& message) {
  state_->end(state, message);
}

}  // namespace antler::cli
