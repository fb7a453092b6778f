#include "estimator/run_scenario.h"

#include <algorithm>
#include <optional>

#include "estimator/calls.h"
#include "estimator/log_lines.h"
#include "estimator/model_dir.h"
#include "kinds.h"

namespace antler::conformance::estimators {
namespace {

struct Thrown {
  std::string class_name;
  std::string message;
  std::string text() const { return class_name + ": " + message; }
};

bool matches_error(const Thrown& thrown, const Json& error) {
  const Json& bases = member(error, "bases");
  const bool has_class = error.at("class") == thrown.class_name ||
                         std::find(bases.begin(), bases.end(), thrown.class_name) != bases.end();
  return has_class &&
         thrown.message.find(error.at("phrase").get<std::string>()) != std::string::npos;
}

/// Compares steps and names exactly, fetched values within the tolerance.
void check_trace(const std::string& where, const Json& got, const Json& want, Check& check) {
  for (size_t i = 0; i < want.size() && i < got.size(); ++i) {
    const std::string at = format("{} trace {}", where, i);
    const size_t exact = std::min<size_t>(want[i].size(), 3);
    const bool values = want[i].at(0) == "FinalOpsHook" || want[i].size() > 3;
    if (!values || got[i].size() != want[i].size()) {
      if (same(got[i], want[i])) continue;
      return check.equal(at, got[i], want[i]);
    }
    for (size_t part = 0; part < want[i].size(); ++part) {
      if (part + 1 < exact) {
        check.equal(at, got[i][part], want[i][part]);
      } else {
        check.json(at, got[i][part], want[i][part]);
      }
    }
  }
  if (got.size() != want.size()) {
    check.equal(where + " number of trace events", got.size(), want.size());
  }
}

class ScenarioRun {
 public:
  ScenarioRun(const GoldenCase& golden, Check& check) : scenario_(golden), check_(check) {}
  void run_call_at(size_t k, const Json& call, const Json& expected);

 private:
  std::optional<Thrown> attempt(const std::string& where, const Json& call, const Json& expected);
  /// Compares the exception. Returns whether the rest of the expectation applies to the call.
  bool check_error(const std::string& where, const std::optional<Thrown>& thrown,
                   const Json& expected);

  /// Marks the arrays of call k as not to be compared.
  void skip(size_t k);

  Scenario scenario_;
  Check& check_;
  LogCapture log_;
  ModelDirCheck model_dirs_;
};

std::optional<Thrown> ScenarioRun::attempt(const std::string& where, const Json& call,
                                           const Json& expected) {
  try {
    run_call(where, scenario_, call, expected, check_);
    scenario_.note_final_ops();
    return {};
  } catch (const Error& error) {
    return Thrown{error.class_name(), scenario_.portable(error.what())};
  } catch (const std::exception& error) {
    return Thrown{"std::exception", error.what()};
  }
}

bool ScenarioRun::check_error(const std::string& where, const std::optional<Thrown>& thrown,
                              const Json& expected) {
  if (expected.contains("error")) {
    const Json& error = expected["error"];
    if (!thrown) {
      const bool optional = member(error, "optional") == true;
      check_.truth(where, optional, "did not throw " + error.dump());
      return false;
    }
    check_.truth(where, matches_error(*thrown, error),
                 format("threw {}, expected {}", thrown->text(), error.dump()));
    return true;
  }
  if (!thrown) return true;
  const bool as_seed =
      expected.contains("seed_2017") && matches_error(*thrown, expected["seed_2017"]);
  check_.truth(where, as_seed, "threw " + thrown->text());
  return false;
}

void ScenarioRun::skip(size_t k) {
  for (const auto& [name, array] : scenario_.golden().arrays) {
    if (name.starts_with(format("c{}_", k))) scenario_.golden().compared.insert(name);
  }
}

void ScenarioRun::run_call_at(size_t k, const Json& call, const Json& expected) {
  if (member(call, "python_only") == true) return skip(k);
  const std::string where = format("call {} ({})", k, call.at("do").get<std::string>());
  scenario_.forget_final_ops();
  scenario_.take_trace();
  log_.take();
  const std::optional<Thrown> thrown = attempt(where, call, expected);
  const Json trace = scenario_.take_trace();
  std::vector<std::string> log = log_.take();
  if (!check_error(where, thrown, expected)) return skip(k);
  for (std::string& line : log) line = scenario_.portable(line);
  check_trace(where, trace, expected.contains("trace") ? expected["trace"] : Json::array(), check_);
  check_log(where, log, expected.contains("log") ? expected["log"] : Json::array(), check_);
  if (call.contains("on")) {
    model_dirs_.compare(where, scenario_, call["on"].get<std::string>(), expected, check_);
  }
}

}  // namespace

void run_scenario(const GoldenCase& golden, Check& check) {
  ScenarioRun run(golden, check);
  const Json& calls = golden.json.at("calls");
  const Json& expected = golden.expectation().at("calls");
  for (size_t k = 0; k < calls.size(); ++k) run.run_call_at(k, calls[k], expected.at(k));
}

}  // namespace antler::conformance::estimators
