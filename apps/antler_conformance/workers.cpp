// Cases with several workers. `antler launch` starts this program for each.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "antler/distribute/cluster_resolver.h"
#include "antler/processes/remote_command.h"
#include "cluster_strategies.h"

namespace antler::conformance {
namespace {

/// The prefix that `antler launch` puts in front of the chief's lines.
constexpr std::string_view kChief = "[worker 0] ";

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw RuntimeError("Cannot start {}.", command);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), count);
  ::pclose(pipe);
  return output;
}

}  // namespace

bool is_worker() { return std::getenv("TF_CONFIG") != nullptr; }

bool is_chief() { return distribute::resolver_from_environment()->task_id().value_or(0) == 0; }

void run_in_workers(const GoldenCase& golden, int64_t workers, Check& check) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  const auto launcher = self.parent_path() / "antler";
  if (!std::filesystem::exists(launcher))
    throw Unsupported{format("several workers without {}", launcher.string())};
  const std::string output = output_of(
      format("{} launch --workers {} -- {} {} 2>&1", cli::shell_quote(launcher.string()), workers,
             cli::shell_quote(self.string()), cli::shell_quote(golden.folder.string())));
  for (const auto& [word, ok] : {std::pair{"ok", true}, {"FAIL", false}, {"unsupported", false}}) {
    const std::string start = format("{}{} {}", kChief, word, golden.id);
    const size_t at = output.find(start);
    if (at == std::string::npos) continue;
    std::string detail = output.substr(at + start.size());
    detail.resize(std::min(detail.size(), detail.find('\n')));
    if (std::string_view(word) == "unsupported") throw Unsupported{detail};
    for (const Json& array : golden.json.value("expected_arrays", Json::array()))
      golden.compared.insert(array.get<std::string>());
    check.truth("worker 0", ok, detail);
    return;
  }
  check.truth("worker 0", false, format("reported nothing: {}", output));
}

}  // namespace antler::conformance
