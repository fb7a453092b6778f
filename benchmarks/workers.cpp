#include "workers.h"

#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/distribute/tf_config.h"
#include "antler/ops/communicator.h"
#include "report.h"
#ifdef ANTLER_BENCH_CLUSTER
#include "antler/cluster/multi_worker_mirrored_strategy.h"
#endif

namespace antler::bench {
namespace {

/// The environment variable with the time at which the group was started.
constexpr const char* kWorker = "ANTLER_BENCH_WORKER";

const double kProcessStart = now();

/// Addresses with ports that are currently free.
std::vector<std::string> free_addresses(int count) {
  std::vector<int> sockets;
  std::vector<std::string> addresses;
  for (int i = 0; i < count; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (socket < 0 || bind(socket, generic, size) != 0 || getsockname(socket, generic, &size) != 0)
      throw IOError("No port is free.");
    sockets.push_back(socket);
    addresses.push_back(format("127.0.0.1:{}", ntohs(address.sin_port)));
  }
  for (const int socket : sockets) close(socket);
  return addresses;
}

/// Restricts this process to worker `index`'s share of the cores.
void pin(int index, int workers) {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  std::vector<size_t> cores;
  for (size_t c = 0; c < CPU_SETSIZE; ++c) {
    if (CPU_ISSET(c, &all)) cores.push_back(c);
  }
  const size_t share = std::max<size_t>(cores.size() / static_cast<size_t>(workers), 1);
  cpu_set_t own;
  CPU_ZERO(&own);
  for (size_t i = 0; i < share; ++i)
    CPU_SET(cores[(static_cast<size_t>(index) * share + i) % cores.size()], &own);
  sched_setaffinity(0, sizeof own, &own);
}

pid_t start(int index, const std::vector<std::string>& addresses, char** argv) {
  const distribute::TFConfig config{
      .cluster = distribute::ClusterSpec({{"worker", addresses}}),
      .task_type = "worker",
      .task_id = index,
      .rpc_layer = {},
      .session_master = {},
  };
  const std::string text = config.str();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setenv("TF_CONFIG", text.c_str(), 1);
  setenv(kWorker, format("{:f}", kProcessStart).c_str(), 1);
  pin(index, static_cast<int>(addresses.size()));
  execv("/proc/self/exe", argv);
  _exit(127);
}

}  // namespace

bool is_worker() { return std::getenv(kWorker) != nullptr; }

double start_time() {
  const char* const of_group = std::getenv(kWorker);
  return of_group == nullptr ? kProcessStart : std::atof(of_group);
}

int run_workers(int workers, char** argv) {
#ifndef ANTLER_BENCH_CLUSTER
  throw RuntimeError("--workers needs a build with -DANTLER_BUILD_CLUSTER=ON.");
#endif
  const std::vector<std::string> addresses = free_addresses(workers);
  std::vector<pid_t> processes;
  for (int w = 0; w < workers; ++w) processes.push_back(start(w, addresses, argv));
  int result = 0;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (result == 0) result = code;
  }
  return result;
}

distribute::Strategy worker_strategy() {
#ifdef ANTLER_BENCH_CLUSTER
  if (is_worker()) return cluster::MultiWorkerMirroredStrategy();
#endif
  return {};
}

bool agree(bool answer) {
  const auto group = ops::communicator();
  if (group == nullptr) return answer;
  auto byte = static_cast<std::byte>(answer);
  group->broadcast({&byte, 1}, 0);
  return byte != std::byte{0};
}

}  // namespace antler::bench
