#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "antler/base/error.h"
#include "command.h"

namespace antler::cli {
namespace {

constexpr const char* kProgram = "antler-server";

/// Becomes the program of the package for clusters, beside this one or on the PATH.
[[noreturn]] void become_server() {
  std::vector<std::string> words = arguments();
  const auto at = std::find(words.begin(), words.end(), "server");
  words.erase(words.begin(), at == words.end() ? at : at + 1);
  words.insert(words.begin(), kProgram);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv((self.parent_path() / kProgram).c_str(), argv.data());
  ::execvp(kProgram, argv.data());
  if (errno == ENOENT) {
    throw NotFoundError(
        "`antler server` needs the program {}, which comes with antler::cluster. Build Antler with "
        "-DANTLER_BUILD_CLUSTER=ON, or install the package libantler-cluster-dev.",
        kProgram);
  }
  throw RuntimeError("Cannot start {}: {}.", kProgram, std::strerror(errno));
}

}  // namespace

void add_server(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "server", "A task of a cluster with parameter servers; see `antler server --help`");
  // Its program reads the options.
  command->set_help_flag();
  command->prefix_command();
  command->callback([&run] { run = []() -> int { become_server(); }; });
}

}  // namespace antler::cli
