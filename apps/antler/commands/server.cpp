#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "command_line/command.h"
#include "processes/cluster_program.h"

namespace antler::cli {
namespace {

constexpr const char* kProgram = "antler-server";

/// Replaces this process with the program of the cluster package.
[[noreturn]] void become_server() {
  std::vector<std::string> words = arguments();
  const auto at = std::find(words.begin(), words.end(), "server");
  words.erase(words.begin(), at == words.end() ? at : at + 1);
  const std::string program = cluster_program(kProgram, "antler server");
  words.insert(words.begin(), kProgram);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  throw RuntimeError("Cannot start {}: {}.", kProgram, std::strerror(errno));
}

}  // namespace

void add_server(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "server", "A task of a cluster with parameter servers; see `antler server --help`");
  // The program itself parses the options.
  command->set_help_flag();
  command->fallthrough(false);
  command->prefix_command();
  command->callback([&run] { run = []() -> int { become_server(); }; });
}

}  // namespace antler::cli
