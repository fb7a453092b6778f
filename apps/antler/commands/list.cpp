#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "antler/nn/loss.h"
#include "antler/nn/optimizer.h"
#include "command_line/command.h"
#include "help/known_names.h"

namespace antler::cli {
namespace {

struct ListSettings {
  std::string kind;
  std::string name;
  bool json = false;
};

/// The options of an optimizer or loss, with their defaults.
Json options_of(const ListSettings& s) {
  if (s.kind == "optimizers") return optimizers::get(s.name)->get_config();
  if (s.kind == "losses") return losses::get(s.name).impl().get_config();
  throw ValueError("Only optimizers and losses have options that can be listed, not {}.", s.kind);
}

void print(const Json& names) {
  for (const Json& name : names) std::printf("%s\n", name.get<std::string>().c_str());
}

int run_list(const ListSettings& s) {
  if (!s.name.empty()) {
    const Json options = options_of(s);
    if (s.json) {
      std::printf("%s\n", options.dump().c_str());
      return 0;
    }
    for (const auto& [key, value] : options.items()) {
      // Rates are float32 inside: 0.001, not 0.0010000000474974513.
      const std::string text =
          value.is_number_float() ? format("{}", value.get<float>()) : value.dump();
      std::printf("%s=%s\n", key.c_str(), text.c_str());
    }
    return 0;
  }
  Json all = Json::object();
  for (const KnownNames& known : known_names()) {
    if (s.kind.empty() || s.kind == known.kind) all[std::string(known.kind)] = known.names();
  }
  if (s.json) {
    std::printf("%s\n", all.dump().c_str());
  } else if (!s.kind.empty()) {
    print(all[s.kind]);
  } else {
    for (const auto& [kind, names] : all.items()) {
      std::printf("%-14s %3zu  %s, ...\n", kind.c_str(), names.size(),
                  names[0].get<std::string>().c_str());
    }
    std::printf("`antler list KIND` prints the names of a kind.\n");
  }
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "list", "Prints the names of optimizers, losses, metrics, callbacks, layers and so on");
  const auto s = std::make_shared<ListSettings>();
  std::vector<std::string> kinds;
  for (const KnownNames& known : known_names()) kinds.emplace_back(known.kind);
  command->add_option("kind", s->kind, "One of optimizers, losses, ...; default: list the kinds")
      ->check(CLI::IsMember(kinds));
  command->add_option("name", s->name,
                      "An optimizer or loss: print its options and their defaults instead");
  command->add_flag("--json", s->json, "Print only one line of JSON");
  command->callback([&run, s] { run = [s] { return run_list(*s); }; });
}

}  // namespace antler::cli
