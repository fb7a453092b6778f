#include "processes/remote_command.h"

#include "antler/base/format.h"
#include "base/strings.h"

namespace antler::cli {
namespace {

std::string threads_text(const RemoteProgram& remote) {
  if (remote.threads > 0) return format("export OMP_NUM_THREADS={}; ", remote.threads);
  return format(
      "if [ -z \"$OMP_NUM_THREADS\" ]; then n=$(($(nproc) / {})); [ $n -gt 0 ] || n=1; export "
      "OMP_NUM_THREADS=$n; fi; ",
      remote.workers);
}

/// A shell script in one line, because some login shells do not allow line ends in quotes. The
/// program leads a process group ($p); another shell ($w) ends the group when standard input is
/// closed.
std::string script(const RemoteProgram& remote) {
  std::string text = format("cd {} || exit 1; ", shell_quote(remote.folder));
  for (const auto& [name, value] : remote.environment) {
    text += format("export {}={}; ", name, shell_quote(value));
  }
  text += threads_text(remote);
  text += "exec 3<&0 </dev/null; ";
  text += format(
      "setsid {} 3<&- & p=$!; ",
      antler::join(remote.program, " ", [](const std::string& w) { return shell_quote(w); }));
  text += format(
      "(while read -r line; do :; done; kill -s TERM -- -$p; i=0; while [ $i -lt {} ] && kill -s 0 "
      "-- -$p; do sleep 1; i=$((i + 1)); done; kill -s KILL -- -$p) <&3 >/dev/null 2>&1 & w=$!; ",
      remote.grace);
  text +=
      "exec 3<&-; wait $p 2>/dev/null; c=$?; kill $w 2>/dev/null; kill -s TERM -- -$p 2>/dev/null; "
      "exit $c";
  return text;
}

}  // namespace

std::string shell_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::vector<std::string> remote_command(const RemoteProgram& remote) {
  return {"ssh",
          "-T",
          "-o",
          "BatchMode=yes",
          "-o",
          "ServerAliveInterval=15",
          "--",
          remote.host,
          "sh -c " + shell_quote(script(remote))};
}

}  // namespace antler::cli
