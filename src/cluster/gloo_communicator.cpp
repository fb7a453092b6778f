#include "antler/cluster/gloo_communicator.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "antler/base/logging.h"
#include "base/strings.h"
#include "cluster/gloo_group.h"
#include "cluster/gloo_mesh.h"
#include "cluster/half_reduction.h"
#include "cluster/local_group.h"
#include "cluster/members.h"
#include "cluster/peers.h"
#include "cluster/reduction.h"
#include "cluster/rendezvous.h"
#include "cluster/store.h"
#include "cluster/store_server.h"
#include "ops/started_reductions.h"

namespace antler::cluster {
namespace {

/// Up to this size, recursive halving and doubling is used, because the number of messages matters
/// more than the amount of data.
constexpr size_t kSmallBytes = size_t{32} << 10;
/// Time limit in seconds for a connection between two processes. Both have announced themselves. A
/// group is not monitored until it is connected, so a process that ends before that is noticed only
/// after this time.
constexpr double kLongestConnect = 10;
/// Seconds between two calls of GroupOptions::lost.
constexpr double kAsk = 0.1;

class GlooCommunicator final : public ops::Communicator {
 public:
  GlooCommunicator(Members members, const GroupOptions& options,
                   std::shared_ptr<StoreServer> server, std::shared_ptr<Mesh> mesh)
      : members_(std::move(members)),
        options_(options),
        server_(std::move(server)),
        peers_(members_),
        mesh_(std::move(mesh)),
        background_(ops::StartedReductions::When::in_background,
                    [this](void* data, size_t count, DType dtype, ops::ReduceOp op) {
                      reduce_over_network(data, count, dtype, op);
                    }) {}

  ~GlooCommunicator() override {
    // Nobody waits for the running reductions any more.
    if (background_.is_busy()) end_calls();
    {
      const std::lock_guard lock(state_mutex_);
      leaving_ = true;
    }
    state_changed_.notify_all();
    if (watcher_.joinable()) watcher_.join();
  }

  /// Called once, by all processes together. Worker 0 holds the store, so it may leave only when
  /// all are connected.
  void begin() {
    barrier();
    if (options_.shared_memory) local_ = LocalGroup::make(*this);
    if (options_.lost)
      watcher_ = std::thread([this] { ask(); });
    else if (options_.health.interval > 0)
      watcher_ = std::thread([this] { watch(); });
  }

  int64_t rank() const override { return members_.rank; }
  int64_t size() const override { return members_.size(); }

  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    if (local_ != nullptr) {
      reduction(dtype, op);
      if (count == 0) return;
      const Array array{data, data, count};
      return all_reduce_locally({&array, 1}, dtype, op);
    }
    background_.wait();
    reduce_over_network(data, count, dtype, op);
  }

  void all_reduce_arrays(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) override {
    if (local_ == nullptr) return Communicator::all_reduce_arrays(arrays, dtype, op);
    reduction(dtype, op);
    all_reduce_locally(arrays, dtype, op);
  }

  /// Processes that share memory gain nothing in the background: they would compete for the same
  /// cores.
  uint64_t start_all_reduce(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) override {
    if (local_ != nullptr) return Communicator::start_all_reduce(arrays, dtype, op);
    reduction(dtype, op);
    return background_.start(arrays, dtype, op);
  }

  void finish_all_reduce(uint64_t number, std::span<const Array> arrays) override {
    if (local_ != nullptr) return Communicator::finish_all_reduce(number, arrays);
    background_.finish(number, arrays);
  }

  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    background_.wait();
    if (result.size() != block.size() * static_cast<size_t>(size())) {
      throw ValueError("all_gather needs {} bytes for the blocks of {} processes. Received: {}",
                       block.size() * static_cast<size_t>(size()), size(), result.size());
    }
    if (block.empty()) return;
    call("all_gather", format("{}", block.size()), [&](uint32_t tag) {
      gloo::AllgatherOptions options(mesh_);
      // Gloo only reads it.
      options.setInput(reinterpret_cast<uint8_t*>(const_cast<std::byte*>(block.data())),
                       block.size());
      options.setOutput(reinterpret_cast<uint8_t*>(result.data()), result.size());
      options.setTag(tag);
      gloo::allgather(options);
    });
  }

  void broadcast(std::span<std::byte> data, int64_t root) override {
    if (root < 0 || root >= size())
      throw ValueError("`root` must be one of {} processes. Received: root={}", size(), root);
    if (data.empty()) return;
    background_.wait();
    call("broadcast", format("{} {}", data.size(), root), [&](uint32_t tag) {
      if (local_ != nullptr) return local_->broadcast(data, root, tag, options_.timeout);
      gloo::BroadcastOptions options(mesh_);
      options.setOutput(reinterpret_cast<uint8_t*>(data.data()), data.size());
      options.setRoot(static_cast<int>(root));
      options.setTag(tag);
      gloo::broadcast(options);
    });
  }

  void barrier() override {
    background_.wait();
    call("barrier", "", [&](uint32_t tag) {
      gloo::BarrierOptions options(mesh_);
      options.setTag(tag);
      gloo::barrier(options);
    });
  }

 private:
  static void set_output(gloo::AllreduceOptions& options, void* data, size_t count, size_t size) {
    switch (size) {
      case 1:
        return options.setOutput(static_cast<uint8_t*>(data), count);
      case 2:
        return options.setOutput(static_cast<uint16_t*>(data), count);
      case 4:
        return options.setOutput(static_cast<uint32_t*>(data), count);
      default:
        return options.setOutput(static_cast<uint64_t*>(data), count);
    }
  }

  void reduce_over_network(void* data, size_t count, DType dtype, ops::ReduceOp op) {
    const Reduction combine = reduction(dtype, op);
    if (count == 0) return;
    call("all_reduce", format("{} {} {}", count, dtype_name(dtype), static_cast<int>(op)),
         [&](uint32_t tag) {
           if (HalfReduction::takes(dtype)) return reduce_halves(data, count, dtype, op, tag);
           gloo::AllreduceOptions options(mesh_);
           set_output(options, data, count, dtype_size(dtype));
           options.setReduceFunction(combine);
           options.setAlgorithm(count * dtype_size(dtype) <= kSmallBytes
                                    ? gloo::AllreduceOptions::Algorithm::BCUBE
                                    : gloo::AllreduceOptions::Algorithm::RING);
           options.setTag(tag);
           gloo::allreduce(options);
           if (op == ops::ReduceOp::mean) finish_mean(data, count, dtype, size());
         });
  }

  void reduce_halves(void* data, size_t count, DType dtype, ops::ReduceOp op, uint32_t tag) {
    const auto processes = static_cast<size_t>(size());
    halves_.reduce(
        data, count, dtype, op, processes,
        [&](uint16_t* blocks, size_t share, uint16_t* result) {
          gloo::AlltoallOptions options(mesh_);
          options.setInput(blocks, share * processes);
          options.setOutput(result, share * processes);
          options.setTag(tag);
          gloo::alltoall(options);
        },
        [&](uint16_t* block, size_t share, uint16_t* result) {
          gloo::AllgatherOptions options(mesh_);
          options.setInput(block, share);
          options.setOutput(result, share * processes);
          options.setTag(tag);
          gloo::allgather(options);
        });
  }

  void all_reduce_locally(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) {
    size_t count = 0;
    for (const Array& array : arrays) count += array.count;
    call("all_reduce", format("{} {} {}", count, dtype_name(dtype), static_cast<int>(op)),
         [&](uint32_t tag) { local_->all_reduce(arrays, dtype, op, tag, options_.timeout); });
  }

  /// Runs one collective. Its tag contains its number and a digest of its arguments: processes that
  /// make different calls time out instead of reading wrong data.
  void call(const char* name, const std::string& arguments,
            const std::function<void(uint32_t tag)>& collective) {
    const std::lock_guard lock(call_mutex_);
    throw_failure();
    const uint64_t digest = fingerprint64(format("{} {}", name, arguments));
    const auto tag = static_cast<uint32_t>((calls_++ & 0xffff) << 16 | (digest & 0xffff));
    const NoBrokenPipes guard;
    try {
      collective(tag);
    } catch (const std::exception& error) {
      fail(name, error.what());
    }
  }

  void throw_failure() {
    const std::lock_guard lock(state_mutex_);
    if (!failure_.empty()) throw UnavailableError("{}", failure_);
  }

  /// Ends all calls, waiting and later ones. The first reason is kept.
  void leave(const std::string& reason) {
    {
      const std::lock_guard lock(state_mutex_);
      if (!failure_.empty()) return;
      failure_ = reason;
    }
    server_->set_failure(reason);
    end_calls();
  }

  /// Makes waiting and later calls of all processes fail.
  void end_calls() {
    mesh_->shut_down();
    if (local_ != nullptr) local_->abandon();
  }

  /// Leaves the group after an error of Gloo, and reports which processes are lost.
  [[noreturn]] void fail(std::string_view name, std::string_view error) {
    throw_failure();  // The watcher has already reported it.
    const std::set<int64_t> gone = gone_peers();
    // The other processes learn of it while this one finds out who is lost.
    end_calls();
    const auto lost = options_.ask_time > 0 ? lost_peers(gone) : std::nullopt;
    const std::string what = format("{} of {} failed: {}", name, members_.name(rank()),
                                    lost ? std::string_view(*lost) : error);
    leave(what);
    if (!lost && error.find("imed out") != std::string_view::npos) {
      throw DeadlineExceededError("{} of {}: not all processes took part within {} seconds.", name,
                                  members_.name(rank()), options_.timeout);
    }
    throw UnavailableError("{}", what);
  }

  /// The peers that have ended or left, as far as this process notices without asking them.
  std::set<int64_t> gone_peers() const {
    std::set<int64_t> gone = mesh_->closed_peers();
    if (local_ != nullptr) gone.merge(local_->gone());
    return gone;
  }

  /// Names the members that do not answer, or that are gone: one that answers may be on its way
  /// out, or have been started again. If there are none, names those that have left. Returns
  /// nothing if all are well.
  std::optional<std::string> lost_peers(const std::set<int64_t>& gone) {
    std::vector<std::string> lost;
    std::vector<std::string> left;
    for (const PeerState& peer : peers_.ping(options_.ask_time)) {
      if (!peer.alive)
        lost.push_back(lost_peer(peer));
      else if (!peer.failure.empty())
        left.push_back(left_group(peer));
      else if (gone.contains(peer.rank))
        lost.push_back(format("{} has closed its connection", members_.name(peer.rank)));
    }
    if (!lost.empty()) return join(lost);
    if (!left.empty()) return join(left);
    return std::nullopt;
  }

  std::string lost_peer(const PeerState& peer) const {
    return format("{} has ended or cannot be reached ({})", members_.name(peer.rank), peer.failure);
  }
  std::string left_group(const PeerState& peer) const {
    return format("{} has left the group: {}", members_.name(peer.rank), peer.failure);
  }

  /// The watcher's thread: checks from time to time whether all peers are alive, and ends waiting
  /// collectives when one is not.
  void watch() {
    const NoBrokenPipes guard;
    std::vector<int64_t> misses(static_cast<size_t>(size()), 0);
    std::unique_lock lock(state_mutex_);
    double pause = options_.health.interval;
    for (;;) {
      state_changed_.wait_for(lock, milliseconds(pause), [&] { return leaving_; });
      if (leaving_ || !failure_.empty()) return;
      lock.unlock();
      pause = options_.health.interval;
      for (const PeerState& peer : peers_.ping(options_.health.timeout)) {
        int64_t& missed = misses[static_cast<size_t>(peer.rank)];
        missed = peer.alive ? 0 : missed + 1;
        // After a missed answer it asks again soon.
        if (missed > 0) pause = std::min(pause, 1.0);
        if (missed >= options_.health.retries)
          leave(lost_peer(peer));
        else if (peer.alive && !peer.failure.empty())
          leave(left_group(peer));
      }
      lock.lock();
    }
  }

  /// The watcher's thread if the group's owner knows who is lost.
  void ask() {
    const NoBrokenPipes guard;
    std::unique_lock lock(state_mutex_);
    while (!state_changed_.wait_for(lock, milliseconds(kAsk), [&] { return leaving_; })) {
      if (!failure_.empty()) return;
      lock.unlock();
      const std::string reason = options_.lost();
      if (!reason.empty()) leave(reason);
      lock.lock();
    }
  }

  const Members members_;
  const GroupOptions options_;
  const std::shared_ptr<StoreServer> server_;
  Peers peers_;
  const std::shared_ptr<Mesh> mesh_;
  std::unique_ptr<LocalGroup> local_;  // null if the processes are on several machines
  std::mutex call_mutex_;              // held during a collective
  uint64_t calls_ = 0;                 // guarded by call_mutex_, as is halves_
  HalfReduction halves_;
  std::mutex state_mutex_;
  std::condition_variable state_changed_;
  bool leaving_ = false;  // guarded by state_mutex_, as is failure_
  std::string failure_;
  std::thread watcher_;
  ops::StartedReductions background_;  // last: its thread uses all of the above
};

/// A group of one process.
class Alone final : public ops::Communicator {
 public:
  int64_t rank() const override { return 0; }
  int64_t size() const override { return 1; }
  void all_reduce(void*, size_t, DType dtype, ops::ReduceOp op) override { reduction(dtype, op); }
  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    if (result.size() != block.size()) {
      throw ValueError("all_gather needs {} bytes for the block of one process. Received: {}",
                       block.size(), result.size());
    }
    if (!block.empty()) std::memmove(result.data(), block.data(), block.size());
  }
  void broadcast(std::span<std::byte>, int64_t root) override {
    if (root != 0) throw ValueError("`root` must be 0. Received: root={}", root);
  }
  void barrier() override {}
};

}  // namespace

std::shared_ptr<ops::Communicator> connect_group(const Members& members,
                                                 const GroupOptions& options,
                                                 std::shared_ptr<StoreServer> server, Store& store,
                                                 const std::string& key) {
  if (members.size() == 1) return std::make_shared<Alone>();
  auto mesh = connect_mesh(store, key, members,
                           {.timeout = options.connect_timeout, .check = options.check});
  auto communicator = std::make_shared<GlooCommunicator>(members, options, std::move(server), mesh);
  communicator->begin();
  mesh->set_time_limit(options.timeout);
  return communicator;
}

std::shared_ptr<ops::Communicator> connect(const GlooOptions& options) {
  const Members members = make_members(options);
  if (members.size() == 1) return std::make_shared<Alone>();
  auto server = std::make_shared<StoreServer>(members);
  Store store(members);
  const std::string group = join_group(store, members, options.start_timeout);
  try {
    return connect_group(members,
                         {.timeout = options.timeout,
                          .connect_timeout = std::min(options.timeout, kLongestConnect),
                          .health = options.health,
                          .shared_memory = options.shared_memory},
                         std::move(server), store, group);
  } catch (const DeadlineExceededError& error) {
    // All processes had announced themselves, so one has been lost since.
    throw UnavailableError("{} could not connect with all others: {}", members.name(members.rank),
                           error.what());
  }
}

}  // namespace antler::cluster
