#include "support/worker_group.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "antler/core/dispatch.h"

namespace antler::test {
namespace {

constexpr const char* kVariable = "ANTLER_TEST_WORKER";  // rank:size:fd,fd,...

/// A star: worker 0 has a socket to each other worker, which have one to worker 0.
class SocketGroup final : public ops::Communicator {
 public:
  SocketGroup(int64_t rank, int64_t size, std::vector<int> sockets)
      : rank_(rank), size_(size), sockets_(std::move(sockets)) {}
  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    switch (dtype) {
      case DType::float32:
        return reduce(static_cast<float*>(data), count, op);
      case DType::float64:
        return reduce(static_cast<double*>(data), count, op);
      case DType::float16:
        return reduce(static_cast<float16*>(data), count, op);
      case DType::bfloat16:
        return reduce(static_cast<bfloat16*>(data), count, op);
      case DType::int32:
        return reduce(static_cast<int32_t*>(data), count, op);
      case DType::int64:
        return reduce(static_cast<int64_t*>(data), count, op);
      default:
        throw NotImplementedError("all_reduce of {}", dtype_name(dtype));
    }
  }

  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    const size_t bytes = block.size();
    if (rank_ == 0) {
      std::copy(block.begin(), block.end(), result.begin());
      for (size_t w = 1; w < static_cast<size_t>(size_); ++w)
        receive(sockets_[w - 1], result.subspan(w * bytes, bytes));
      for (const int socket : sockets_) send(socket, result);
    } else {
      send(sockets_[0], block);
      receive(sockets_[0], result);
    }
  }

  void broadcast(std::span<std::byte> data, int64_t root) override {
    if (root != 0) throw NotImplementedError("broadcast from worker {}", root);
    if (rank_ != 0) return receive(sockets_[0], data);
    for (const int socket : sockets_) send(socket, data);
  }

  void barrier() override {
    std::byte mine{1};
    std::vector<std::byte> all(static_cast<size_t>(size_));
    all_gather({&mine, 1}, all);
  }

 private:
  template <class T>
  void reduce(T* data, size_t count, ops::ReduceOp op) {
    std::vector<T> all(count * static_cast<size_t>(size_));
    all_gather(std::as_bytes(std::span(data, count)), std::as_writable_bytes(std::span(all)));
    using Sum = ComputeType<T>;
    for (size_t i = 0; i < count; ++i) {
      Sum total = static_cast<Sum>(all[i]);
      for (size_t w = 1; w < static_cast<size_t>(size_); ++w) {
        const Sum other = static_cast<Sum>(all[w * count + i]);
        if (op == ops::ReduceOp::max) {
          total = std::max(total, other);
        } else if (op == ops::ReduceOp::min) {
          total = std::min(total, other);
        } else {
          total += other;
        }
      }
      if (op == ops::ReduceOp::mean) total /= static_cast<Sum>(size_);
      data[i] = static_cast<T>(total);
    }
  }

  static void send(int socket, std::span<const std::byte> data) {
    while (!data.empty()) {
      const ssize_t done = ::send(socket, data.data(), data.size(), MSG_NOSIGNAL);
      if (done <= 0) throw UnavailableError("A worker has ended: {}", std::strerror(errno));
      data = data.subspan(static_cast<size_t>(done));
    }
  }
  static void receive(int socket, std::span<std::byte> data) {
    while (!data.empty()) {
      const ssize_t done = ::recv(socket, data.data(), data.size(), 0);
      if (done <= 0) throw UnavailableError("A worker has ended.");
      data = data.subspan(static_cast<size_t>(done));
    }
  }

  int64_t rank_;
  int64_t size_;
  std::vector<int> sockets_;
};

std::shared_ptr<ops::Communicator> group_of_this_worker(const char* variable) {
  int64_t rank = 0;
  int64_t size = 0;
  int read = 0;
  if (std::sscanf(variable, "%ld:%ld:%n", &rank, &size, &read) != 2)
    throw ValueError("{}={}", kVariable, variable);
  std::vector<int> sockets;
  for (const char* at = variable + read; *at != 0;) {
    char* end = nullptr;
    sockets.push_back(static_cast<int>(std::strtol(at, &end, 10)));
    at = *end == ',' ? end + 1 : end;
  }
  return std::make_shared<SocketGroup>(rank, size, sockets);
}

pid_t start_worker(int rank, int size, const std::vector<int>& sockets,
                   const std::vector<int>& others) {
  std::string value = format("{}:{}:", rank, size);
  for (const int socket : sockets) value += format("{},", socket);
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter = format("--gtest_filter={}.{}", test->test_suite_name(), test->name());
  const pid_t pid = fork();
  if (pid != 0) return pid;
  for (const int socket : others) close(socket);
  setenv(kVariable, value.c_str(), 1);
  execl("/proc/self/exe", "worker", filter.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

std::shared_ptr<ops::Communicator> run_in_workers(int workers) {
  if (const char* const variable = std::getenv(kVariable)) return group_of_this_worker(variable);
  std::vector<int> roots;   // ends of worker 0
  std::vector<int> leaves;  // ends of the others
  for (int w = 1; w < workers; ++w) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw IOError("socketpair failed");
    roots.push_back(ends[0]);
    leaves.push_back(ends[1]);
  }
  std::vector<pid_t> processes;
  for (int w = 0; w < workers; ++w) {
    std::vector<int> mine = w == 0 ? roots : std::vector<int>{leaves[static_cast<size_t>(w) - 1]};
    std::vector<int> others;
    for (const auto& ends : {roots, leaves}) {
      for (const int socket : ends) {
        if (std::find(mine.begin(), mine.end(), socket) == mine.end()) others.push_back(socket);
      }
    }
    processes.push_back(start_worker(w, workers, mine, others));
  }
  for (const auto& ends : {roots, leaves}) {
    for (const int socket : ends) close(socket);
  }
  for (size_t w = 0; w < processes.size(); ++w) {
    int status = 0;
    waitpid(processes[w], &status, 0);
    EXPECT_EQ(status, 0) << "worker " << w << " failed";
  }
  return nullptr;
}

}  // namespace antler::test
