// A process of a group that the tests of antler::cluster start.
//
//   antler_cluster_worker SCENARIO RANK ADDRESSES [SECONDS [HEALTH]]
//   mpirun antler_cluster_worker SCENARIO mpi - [SECONDS]
//
// ADDRESSES are separated by commas. SECONDS is the timeout of collectives, HEALTH the time between
// two checks of the peers. With WITHOUT_SHARED_MEMORY in the environment the processes use Gloo
// only. Prints the results; the test compares the last line.
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "antler/base/error.h"
#include "antler/cluster/gloo_communicator.h"
#include "antler/cluster/mpi_communicator.h"
#include "antler/core/dispatch.h"
#include "cluster/members.h"
#include "cluster/rendezvous.h"
#include "cluster/store.h"
#include "cluster/store_server.h"

namespace {

using antler::DType;
using antler::cluster::GlooOptions;
using antler::ops::Communicator;
using antler::ops::ReduceOp;

void expect(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("wrong: " + what);
}

/// A small value that every type holds exactly, also in sums of several processes.
template <class T>
T value(int64_t rank, size_t i) {
  return static_cast<T>(
      static_cast<antler::ComputeType<T>>((static_cast<size_t>(rank) + 1) * (i % 5)));
}

template <class T>
void check_reduce(Communicator& group, size_t count, ReduceOp op) {
  std::vector<T> data(count);
  for (size_t i = 0; i < count; ++i) data[i] = value<T>(group.rank(), i);
  const DType dtype = antler::dtype_of<T>();
  group.all_reduce(data.data(), count, dtype, op);
  const auto n = static_cast<size_t>(group.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t total = n * (n + 1) / 2 * (i % 5);
    const auto sum = static_cast<double>(total);
    double expected = sum;
    if (op == ReduceOp::mean) expected = sum / static_cast<double>(n);
    if (op == ReduceOp::max) expected = static_cast<double>(n * (i % 5));
    if (op == ReduceOp::min) expected = static_cast<double>(i % 5);
    if (static_cast<double>(data[i]) != expected) {
      std::ostringstream text;
      text << "all_reduce of " << count << " " << antler::dtype_name(dtype) << ", op "
           << static_cast<int>(op) << ", element " << i << ": " << static_cast<double>(data[i])
           << ", not " << expected;
      throw std::runtime_error(text.str());
    }
  }
}

template <class T>
void check_reduces(Communicator& group) {
  for (const size_t count : {1, 2, 3, 7, 1000, 20000, 300001}) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::mean, ReduceOp::max, ReduceOp::min}) {
      if (op == ReduceOp::mean && std::is_integral_v<T>) continue;
      check_reduce<T>(group, count, op);
    }
  }
}

void check_bytes(Communicator& group) {
  const auto rank = static_cast<size_t>(group.rank());
  const auto n = static_cast<size_t>(group.size());
  const auto byte = [](size_t of, size_t i) {
    return static_cast<std::byte>((of * 31 + i) & 0xff);
  };
  for (const size_t count : {1, 5, 4096, 1000003}) {
    std::vector<std::byte> block(count);
    for (size_t i = 0; i < count; ++i) block[i] = byte(rank, i);
    std::vector<std::byte> all(count * n);
    group.all_gather(block, all);
    for (size_t i = 0; i < all.size(); ++i)
      expect(all[i] == byte(i / count, i % count), "all_gather");
    for (size_t root = 0; root < n; ++root) {
      std::vector<std::byte> data = block;
      group.broadcast(data, static_cast<int64_t>(root));
      for (size_t i = 0; i < count; ++i) expect(data[i] == byte(root, i), "broadcast");
    }
    group.barrier();
  }
}

/// Short calls in a row: a process may start the next while another has not finished the last.
void check_rows(Communicator& group) {
  for (size_t i = 0; i < 500; ++i) {
    check_reduce<float>(group, 1 + i % 3, ReduceOp::sum);
    std::vector<std::byte> data(1 + i % 5, static_cast<std::byte>(group.rank()));
    const auto root = static_cast<int64_t>(i % static_cast<size_t>(group.size()));
    group.broadcast(data, root);
    expect(data.back() == static_cast<std::byte>(root), "broadcast in a row");
  }
}

/// Half types are added in float and rounded once: 256 + 1 + 1 + ... would stay 256 in bfloat16,
/// and 2048 + 1 + 1 + ... 2048 in float16.
template <class T>
void check_half_sums(Communicator& group, float large) {
  for (const size_t count : {1, 5, 1000, 300001}) {
    std::vector<T> data(count);
    for (size_t i = 0; i < count; ++i) {
      // Each element starts with another process.
      const bool is_large = static_cast<int64_t>(i) % group.size() == group.rank();
      data[i] = static_cast<T>(is_large ? large : 1.0F);
    }
    group.all_reduce(data.data(), count, antler::dtype_of<T>(), ReduceOp::sum);
    const auto expected = static_cast<T>(large + static_cast<float>(group.size() - 1));
    for (size_t i = 0; i < count; ++i)
      expect(static_cast<float>(data[i]) == static_cast<float>(expected), "sum of halves");
  }
}

/// Several all-reduces in flight at once, followed by other collectives.
void check_started(Communicator& group) {
  using Array = Communicator::Array;
  const auto n = static_cast<size_t>(group.size());
  for (size_t round = 0; round < 5; ++round) {
    std::vector<std::vector<float>> inputs;
    std::vector<uint64_t> numbers;
    for (const size_t count : {3, 200000, 1, 70000}) {
      std::vector<float>& input = inputs.emplace_back(count);
      for (size_t i = 0; i < count; ++i) input[i] = value<float>(group.rank(), i + round);
      const Array halves[] = {{input.data(), nullptr, count / 2},
                              {input.data() + count / 2, nullptr, count - count / 2}};
      numbers.push_back(group.start_all_reduce(halves, DType::float32, ReduceOp::sum));
      std::fill(input.begin(), input.end(), 0.0F);  // it has been read
    }
    if (round % 2 == 1) check_reduce<float>(group, 1000, ReduceOp::max);
    // The first one is abandoned, as by a program that failed.
    for (size_t m = round == 3 ? 1 : 0; m < inputs.size(); ++m) {
      std::vector<float>& result = inputs[m];
      const Array whole{nullptr, result.data(), result.size()};
      group.finish_all_reduce(numbers[m], {&whole, 1});
      for (size_t i = 0; i < result.size(); ++i) {
        expect(result[i] == static_cast<float>(n * (n + 1) / 2 * ((i + round) % 5)),
               "all-reduce in two calls");
      }
    }
  }
}

void collectives(Communicator& group) {
  check_reduces<float>(group);
  check_reduces<double>(group);
  check_reduces<int32_t>(group);
  check_reduces<int64_t>(group);
  check_reduces<uint8_t>(group);
  check_reduces<antler::float16>(group);
  check_reduces<antler::bfloat16>(group);
  check_half_sums<antler::bfloat16>(group, 256);
  check_half_sums<antler::float16>(group, 2048);
  check_started(group);
  check_bytes(group);
  check_rows(group);
}

/// Reduces until a peer is lost.
void forever(Communicator& group) {
  std::vector<float> data(1 << 20, 1.0F);
  for (int64_t i = 0;; ++i) {
    group.all_reduce(data.data(), data.size(), DType::float32, ReduceOp::max);
    if (i == 3) std::cout << "running" << std::endl;
  }
}

/// Keeps several all-reduces in flight until a peer is lost.
void forever_started(Communicator& group) {
  std::vector<float> data(1 << 19, 1.0F);
  const Communicator::Array array{data.data(), data.data(), data.size()};
  for (int64_t i = 0;; ++i) {
    std::vector<uint64_t> numbers;
    for (int m = 0; m < 4; ++m)
      numbers.push_back(group.start_all_reduce({&array, 1}, DType::float32, ReduceOp::max));
    for (const uint64_t number : numbers) group.finish_all_reduce(number, {&array, 1});
    if (i == 3) std::cout << "running" << std::endl;
  }
}

/// Broadcasts until a peer is lost, most likely in the middle of a message.
void forever_broadcast(Communicator& group) {
  std::vector<std::byte> data(size_t{1} << 24);
  for (int64_t i = 0;; ++i) {
    group.broadcast(data, 0);
    if (i == 3) std::cout << "running" << std::endl;
  }
}

int64_t integer(const char* variable) {
  const char* const value = std::getenv(variable);
  expect(value != nullptr, std::string(variable) + " is not set");
  return std::stoll(value);
}

GlooOptions gloo_options(const std::vector<std::string>& arguments, double timeout) {
  GlooOptions options;
  options.shared_memory = std::getenv("WITHOUT_SHARED_MEMORY") == nullptr;
  options.rank = std::stoll(arguments.at(1));
  std::istringstream list(arguments.at(2));
  for (std::string address; std::getline(list, address, ',');) options.addresses.push_back(address);
  options.timeout = timeout;
  options.start_timeout = 60;
  if (arguments.size() > 4)
    options.health = {.interval = std::stod(arguments.at(4)), .timeout = 1, .retries = 2};
  return options;
}

/// The second of two processes: tells the first one where it will connect from, and ends.
int vanish(const GlooOptions& options) {
  const antler::cluster::Members members = antler::cluster::make_members(options);
  const antler::cluster::StoreServer server(members);
  antler::cluster::Store store(members);
  const std::string group = antler::cluster::join_group(store, members, 60);
  std::string address = store.get(group + "/0", 60).value();        // begins with a sockaddr_in
  address.replace(offsetof(sockaddr_in, sin_port), 2, "\xff\xff");  // the higher one connects
  store.set(group + "/rank_1", "host", 60);
  store.set(group + "/1", address, 60);
  return 0;
}

/// Connects this process as the arguments say.
std::shared_ptr<Communicator> connect(const std::vector<std::string>& arguments) {
  const double timeout = arguments.size() > 3 ? std::stod(arguments.at(3)) : 30;
  if (arguments.at(1) == "mpi") {
    return antler::cluster::connect_mpi({.rank = integer("OMPI_COMM_WORLD_RANK"),
                                         .size = integer("OMPI_COMM_WORLD_SIZE"),
                                         .timeout = timeout});
  }
  const GlooOptions options = gloo_options(arguments, timeout);
  std::shared_ptr<Communicator> group = antler::cluster::connect(options);
  expect(group->rank() == options.rank, "rank");
  expect(group->size() == static_cast<int64_t>(options.addresses.size()), "size");
  return group;
}

int run(const std::vector<std::string>& arguments) {
  const std::string& scenario = arguments.at(0);
  if (scenario == "vanishes") return vanish(gloo_options(arguments, 30));
  const std::shared_ptr<Communicator> group = connect(arguments);
  std::cout << "connected" << std::endl;
  if (scenario == "collectives") collectives(*group);
  if (scenario == "forever") forever(*group);
  if (scenario == "forever_started") forever_started(*group);
  if (scenario == "forever_broadcast") forever_broadcast(*group);
  // The last process dies; the others wait for it.
  if (scenario == "dies") {
    group->barrier();
    if (group->rank() + 1 == group->size()) std::raise(SIGKILL);
    forever(*group);
  }
  // The last process leaves; the others wait for it.
  if (scenario == "leaves") {
    group->barrier();
    if (group->rank() + 1 < group->size()) forever(*group);
  }
  // The last process takes its time, but less than the time limit.
  if (scenario == "slow") {
    if (group->rank() + 1 == group->size()) std::this_thread::sleep_for(std::chrono::seconds(12));
    check_reduce<float>(*group, 3, ReduceOp::sum);
  }
  // The last process starts too late.
  if (scenario == "late" && group->rank() + 1 == group->size())
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * std::stod(arguments.at(3))));
  if (scenario == "late") group->barrier();
  // The last process makes a different call.
  if (scenario == "different") {
    std::vector<int32_t> data(group->rank() + 1 == group->size() ? 7 : 70000);
    group->all_reduce(data.data(), data.size(), DType::int32, ReduceOp::sum);
  }
  std::cout << "done" << std::endl;
  return 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    return run({values + 1, values + count});
  } catch (const antler::Error& error) {
    std::cout << error.class_name() << ": " << error.what() << std::endl;
  } catch (const std::exception& error) {
    std::cout << "FAILED: " << error.what() << std::endl;
  }
  return 1;
}
