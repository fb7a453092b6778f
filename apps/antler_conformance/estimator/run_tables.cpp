#include <algorithm>
#include <cstdlib>

#include "estimator/run_scenario.h"
#include "estimator/tables.h"
#include "kinds.h"

namespace antler::conformance::estimators {
namespace {

Json row_values(const std::string& table, Scenario& scenario, const Json& row) {
  if (table == "wrong_use") return wrong_use_row(scenario, row);
  if (table == "tf_config") return tf_config_row(scenario, row);
  if (table == "batch_sizes") return batch_sizes_row(row);
  if (table == "iterations") return iterations_row(row);
  if (table == "iteration_estimator") return iteration_estimator_row(row);
  if (table == "timer") return timer_row(row);
  if (table == "tasks") return tasks_row(scenario, row);
  throw Unsupported{"the table '" + table + "'"};
}

/// Compares all expected members except the name of the row and notes on exceptions.
void check_row(const std::string& where, const Json& got, const Json& want, Check& check) {
  for (const auto& [key, value] : want.items()) {
    if (key == "id") continue;
    if (!got.contains(key)) {
      check.truth(where, false, format("has no '{}', expected {}", key, value.dump()));
    } else if (!same(got[key], value)) {
      check.equal(format("{} {}", where, key), got[key], value);
    }
  }
}

void check_row_error(const std::string& where, const std::string& class_name,
                     const std::string& message, const Json& want, Check& check) {
  if (!want.contains("exception")) {
    return check.truth(where, false, format("threw {}: {}", class_name, message));
  }
  const auto phrase = want.contains("phrase") ? want["phrase"].get<std::string>() : "";
  const bool right = want["exception"] == class_name && message.find(phrase) != std::string::npos;
  check.truth(where, right,
              format("threw {}: {}; expected {} with '{}'", class_name, message,
                     want["exception"].dump(), phrase));
}

void run_row(const std::string& where, const std::string& table, Scenario& scenario,
             const Json& row, const Json& want, Check& check) {
  try {
    const TFConfigVariable variable(member(row, "TF_CONFIG"));
    const Json got = row_values(table, scenario, row);
    if (want.contains("exception")) {
      return check.truth(where, false,
                         format("was accepted, expected {} with '{}'", want["exception"].dump(),
                                member(want, "phrase").dump()));
    }
    check_row(where, got, want, check);
  } catch (const Unsupported& unsupported) {
    check.truth(where, false, "is not supported: " + unsupported.reason);
  } catch (const Error& error) {
    check_row_error(where, error.class_name(), scenario.portable(error.what()), want, check);
  }
}

}  // namespace

TFConfigVariable::TFConfigVariable(const Json& value) {
  if (value.is_null()) {
    ::unsetenv("TF_CONFIG");
  } else {
    ::setenv("TF_CONFIG", value.dump().c_str(), 1);
  }
}

TFConfigVariable::~TFConfigVariable() { ::unsetenv("TF_CONFIG"); }

void run_table(const GoldenCase& golden, Check& check) {
  Scenario scenario(golden);
  const auto table = golden.json.at("table").get<std::string>();
  const Json& expected = golden.expectation().at("rows");
  int64_t skipped = 0;
  for (const Json& row : golden.json.at("rows")) {
    const Json& id = row.at("id");
    const auto want = std::find_if(expected.begin(), expected.end(),
                                   [&](const Json& entry) { return entry.at("id") == id; });
    if (member(row, "python_only") == true) {
      ++skipped;
      continue;
    }
    run_row(id.get<std::string>(), table, scenario, row, *want, check);
  }
  if (skipped > 0) check.note(format("{} rows are of Python only", skipped));
}

}  // namespace antler::conformance::estimators
