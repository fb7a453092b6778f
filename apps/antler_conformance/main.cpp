// Compares Antler with cases that Keras computed. Prints one line per case.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>

#include <CLI/CLI.hpp>

#include "antler/runtime/config.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

enum class Outcome : uint8_t { ok, failed, unsupported };

struct Result {
  Outcome outcome = Outcome::ok;
  std::string detail;
};

const char* word(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "FAIL";
    case Outcome::unsupported:
      break;
  }
  return "unsupported";
}

bool is_alternative(const GoldenCase& golden, const std::string& name) {
  if (!golden.json.contains("alternatives")) return false;
  for (const auto& [key, alternative] : golden.json["alternatives"].items()) {
    if (name.starts_with(alternative.at("prefix").get<std::string>())) return true;
  }
  return false;
}

Result attempt(const Kind& kind, const GoldenCase& golden) {
  Check check(golden);
  kind.run(golden, check);
  if (golden.json.contains("expected_arrays")) {
    for (const Json& item : golden.json["expected_arrays"]) {
      const auto name = item.get<std::string>();
      // Arrays of alternatives are compared when the alternative is tried.
      if (!golden.has(name) || golden.compared.contains(name) || is_alternative(golden, name)) {
        continue;
      }
      check.truth(name, false, "was not compared");
    }
  }
  return check.passed() ? Result{Outcome::ok, check.note()}
                        : Result{Outcome::failed, check.report()};
}

/// Runs a case. If it fails, tries its alternative results.
Result run_case(const CaseEntry& entry) {
  try {
    const auto kinds = all_kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const Kind& k) { return entry.kind == k.name; });
    if (kind == kinds.end()) return {Outcome::unsupported, format("the kind '{}'", entry.kind)};
    GoldenCase golden = load_case(entry);
    Result result = attempt(*kind, golden);
    if (result.outcome == Outcome::failed && golden.json.contains("alternatives")) {
      for (const auto& [name, alternative] : golden.json["alternatives"].items()) {
        golden.alternative = alternative.at("prefix").get<std::string>();
        if (attempt(*kind, golden).outcome == Outcome::ok) return {};
      }
    }
    return result;
  } catch (const Unsupported& unsupported) {
    return {Outcome::unsupported, unsupported.reason};
  } catch (const Error& error) {
    return {Outcome::failed, format("{}: {}", error.class_name(), error.what())};
  } catch (const std::exception& error) {
    return {Outcome::failed, error.what()};
  } catch (...) {
    return {Outcome::failed, "unknown exception"};
  }
}

struct Options {
  std::string folder;
  std::string filter;
  std::string only;
  std::string device;
  bool json = false;
};

bool chosen(const Options& options, const CaseEntry& entry) {
  if (!options.filter.empty() && entry.kind != options.filter) return false;
  return options.only.empty() || entry.id == options.only ||
         entry.id.substr(entry.id.find('/') + 1) == options.only;
}

int run(const Options& options) {
  std::map<Outcome, int> counts;
  Json report = Json::array();
  for (const CaseEntry& entry : list_cases(options.folder)) {
    if (!chosen(options, entry)) continue;
    const auto start = std::chrono::steady_clock::now();
    Result result = run_case(entry);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::replace(result.detail.begin(), result.detail.end(), '\n', ' ');
    ++counts[result.outcome];
    if (options.json) {
      report.push_back({{"id", entry.id},
                        {"kind", entry.kind},
                        {"result", word(result.outcome)},
                        {"detail", result.detail},
                        {"seconds", seconds.count()}});
    } else {
      std::cout << word(result.outcome) << ' ' << entry.id
                << (result.detail.empty() ? "" : ": " + result.detail) << std::endl;
    }
  }
  if (options.json) {
    std::cout << Json({{"passed", counts[Outcome::ok]},
                       {"failed", counts[Outcome::failed]},
                       {"unsupported", counts[Outcome::unsupported]},
                       {"cases", report}})
                     .dump(1, ' ', false, Json::error_handler_t::replace)
              << '\n';
  } else {
    std::cout << counts[Outcome::ok] << " passed, " << counts[Outcome::failed] << " failed, "
              << counts[Outcome::unsupported] << " unsupported" << std::endl;
  }
  return counts[Outcome::failed] == 0 ? 0 : 1;
}

/// Reads the command line and runs; returns the exit code.
int run_command(int argc, char** argv) {
  CLI::App app(
      "Compares Antler with a folder of cases computed by Keras. Exit code 0: no case failed.");
  Options options;
  app.add_option("folder", options.folder,
                 "The set: a folder with index.json, or with folders with case.json")
      ->required();
  app.add_option("--filter", options.filter, "Only cases of this kind (layer, loss, fit, ...)");
  app.add_option("--only", options.only, "Only the case with this id");
  app.add_option("--device", options.device,
                 "Where functions run: cpu, or pjrt:NAME_OR_PATH[:K] for a PJRT plug-in");
  app.add_flag("--json", options.json, "Print one JSON object instead of lines");
  CLI11_PARSE(app, argc, argv);
  if (!options.device.empty()) config::set_device(options.device);
  return run(options);
}

}  // namespace
}  // namespace antler::conformance

int main(int argc, char** argv) {
  try {
    return antler::conformance::run_command(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "antler_conformance: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "antler_conformance: unknown error\n");
  }
  return 2;
}
