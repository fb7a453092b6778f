#include "cluster/elastic_communicator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/random_seed.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cluster/gloo_group.h"
#include "cluster/members.h"
#include "cluster/membership.h"
#include "cluster/peers.h"
#include "cluster/random_number.h"
#include "cluster/store.h"
#include "cluster/store_server.h"

namespace antler::cluster {
namespace {

/// Seconds: the limit for polling the others, the time between two polls, and between two warnings.
constexpr double kLook = 1;
constexpr auto kPause = std::chrono::milliseconds(10);
constexpr double kWarn = 10;
/// Seconds allowed for connecting two members.
constexpr double kConnect = 5;
/// Time between two checks for processes that want to join.
constexpr auto kWatch = std::chrono::milliseconds(500);

struct Seconds {
  explicit Seconds(double start = steady_seconds()) : start(start) {}
  double operator()() const { return steady_seconds() - start; }
  double start;
};

/// The first message that members of a new group exchange.
struct Progress {
  int64_t events = 0;  ///< completed by the process; -1: it has no state
  int64_t admits = 0;
};

class ElasticCommunicator final : public ops::ElasticGroup {
 public:
  explicit ElasticCommunicator(const GlooOptions& options)
      : all_(make_members(options)),
        options_(options),
        server_(std::make_shared<StoreServer>(all_)),
        heard_(all_.addresses.size(), steady_seconds()) {
    presence_.set_name(format("{:016x}", random_number()));
    presence_.set_phase(Presence::JOINING);
    start();
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    call({static_cast<std::byte*>(data), count * dtype_size(dtype)},
         [&] { group_->all_reduce(data, count, dtype, op); });
  }

  void all_reduce_arrays(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) override {
    if (is_idle()) return Communicator::all_reduce_arrays(arrays, dtype, op);
    // A compiled program calls this. Only the program's caller knows what must be repeated.
    call_once([&] { group_->all_reduce_arrays(arrays, dtype, op); });
  }

  uint64_t start_all_reduce(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) override {
    if (is_idle()) return Communicator::start_all_reduce(arrays, dtype, op);
    uint64_t number = 0;
    call_once([&] { number = group_->start_all_reduce(arrays, dtype, op); });
    return number;
  }

  void finish_all_reduce(uint64_t number, std::span<const Array> arrays) override {
    if (is_idle()) return Communicator::finish_all_reduce(number, arrays);
    call_once([&] { group_->finish_all_reduce(number, arrays); });
  }

  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    if (is_idle()) {
      for (; result.size() >= block.size() && !block.empty(); result = result.subspan(block.size()))
        std::copy(block.begin(), block.end(), result.begin());
      return;
    }
    const int64_t size = size_;
    call(result, [&] {
      if (size_ != size) throw RuntimeError("A worker was lost while values were gathered.");
      group_->all_gather(block, result);
    });
  }

  void broadcast(std::span<std::byte> data, int64_t root) override {
    call(data, [&] {
      group_->broadcast(data, root);
      // The root sends without waiting for the others.
      if (!in_execution_) group_->barrier();
    });
  }

  void barrier() override {
    call({}, [&] { group_->barrier(); });
  }

  std::optional<std::string> enter(State state, bool is_training) override {
    tasks_.push_back({std::move(state), is_training});
    if (is_training) presence_.set_training(++training_);
    presence_.set_trains(trains());
    publish();
    if (!is_outside() || !is_training) return std::nullopt;
    presence_.set_phase(Presence::JOINING);
    try {
      return regroup();
    } catch (const ops::TrainingIsOver&) {
      presence_.set_phase(Presence::OUTSIDE);
      publish();
      throw;
    }
  }

  void leave() override {
    tasks_.pop_back();
    in_execution_ = false;
    presence_.set_trains(trains());
    publish();
  }

  void begin_execution() override { in_execution_ = true; }

  void end_execution() override {
    in_execution_ = false;
    last_was_execution_ = true;
    ++events_;
  }

  std::optional<std::string> recover(const std::exception_ptr& error) override {
    in_execution_ = false;
    if (!is_lost_) std::rethrow_exception(error);
    auto result = regroup();
    if (result) {
      last_was_execution_ = true;
      ++events_;
    }
    return result;
  }

  void admit() override {
    if (is_outside()) return;
    int32_t some = somebody_waits_ ? 1 : 0;
    all_reduce(&some, 1, DType::int32, ops::ReduceOp::max);
    if (some == 0) return;
    presence_.set_admits(true);
    // If the others do not admit this process yet, they are still recovering from a loss.
    while (!regroup() && !all_admit_) {
    }
    presence_.set_admits(false);
    somebody_waits_ = false;
    kept_.clear();
    last_was_execution_ = false;
    ++events_;
    publish();
  }

 protected:
  void set_alone(bool alone) override { alone_ = alone; }

 private:
  /// One enter() without its leave().
  struct Task {
    State state;
    bool is_training = false;
  };

  /// Whether this process has not joined the others yet.
  bool is_outside() const { return presence_.phase() == Presence::OUTSIDE; }
  bool is_idle() const { return is_outside() || alone_; }
  bool trains() const {
    return std::any_of(tasks_.begin(), tasks_.end(), [](const Task& t) { return t.is_training; });
  }

  void publish() { server_->set_presence(presence_); }

  // ---- collectives ----

  void check_group() const {
    if (group_ == nullptr)
      throw UnavailableError("{} does not belong to a group of workers.", name());
  }

  template <class Collective>
  void call_once(const Collective& collective) {
    check_group();
    try {
      collective();
    } catch (...) {
      is_lost_ = true;
      throw;
    }
  }

  /// Runs a collective outside of executions, and repeats it after a loss. `result` is what the
  /// collective overwrites.
  template <class Collective>
  void call(std::span<std::byte> result, const Collective& collective) {
    if (is_idle()) return;
    if (in_execution_) return call_once(collective);
    check_group();
    const std::vector<std::byte> before(result.begin(), result.end());
    for (;;) {
      try {
        collective();
        break;
      } catch (const UnavailableError&) {
        is_lost_ = true;
      } catch (const DeadlineExceededError&) {
        is_lost_ = true;
      }
      std::copy(before.begin(), before.end(), result.begin());
      if (const auto other = regroup()) {
        if (other->size() != result.size())
          throw UnavailableError("The workers disagree on how many events are complete.");
        std::memcpy(result.data(), other->data(), other->size());
        break;
      }
    }
    kept_.assign(reinterpret_cast<const char*>(result.data()), result.size());
    last_was_execution_ = false;
    ++events_;
  }

  // ---- groups ----

  /// Waits for the first group, unless a group has already started without this process.
  void start() {
    publish();
    const Outlook outlook = look(Seconds());
    if (has_begun(outlook)) {
      for (const Sight& sight : outlook.others) {
        if (sight.state.presence == nullptr || sight.state.presence->seeds().empty()) continue;
        presence_.set_seeds(sight.state.presence->seeds());
      }
      use_seeds();
      presence_.set_phase(Presence::OUTSIDE);
      publish();
      return;
    }
    start_seconds_ = options_.start_timeout.value_or(std::numeric_limits<double>::infinity());
    regroup();
    start_seconds_.reset();
    SeedSequence seeds = seed_sequence();
    broadcast(std::as_writable_bytes(std::span(&seeds, 1)), 0);
    presence_.set_seeds(&seeds, sizeof seeds);
    publish();
  }

  /// Draws the same seeds as the others did when they started.
  void use_seeds() const {
    SeedSequence seeds;
    if (presence_.seeds().size() != sizeof seeds) return;
    std::memcpy(&seeds, presence_.seeds().data(), sizeof seeds);
    set_seed_sequence(seeds);
  }

  /// Forms a new group of the remaining processes. Returns what this process is missing: the result
  /// of its current event if another process has completed it, or the others' state if this process
  /// has none. Returns nothing if all repeat the event.
  std::optional<std::string> regroup() {
    const bool was_joining = presence_.phase() == Presence::JOINING;
    if (!was_joining) presence_.set_phase(Presence::REGROUPING);
    // Destroyed at the end: another process may still be in its last call.
    const std::shared_ptr<Communicator> old = std::move(group_);
    group_ = nullptr;
    // Channels that were never used still report errors of long ago.
    peers_ = std::make_unique<Peers>(all_);
    bool has_seen_others = false;
    const Seconds since;
    std::fill(heard_.begin(), heard_.end(), since.start);
    for (;;) {
      publish();
      const Outlook outlook = look(since);
      if (const auto decision = decision_for(outlook)) {
        if (auto result = follow(*decision)) return finish(std::move(*result), was_joining);
        continue;
      }
      if (presence_.phase() == Presence::REGROUPING && is_left_behind(outlook)) {
        if (!presence_.trains())
          throw UnavailableError("The other workers have gone on without {}.", name());
        logging::warning(format("cluster: {} was left behind and joins again", name()));
        presence_.set_phase(Presence::JOINING);
        presence_.clear_group();
        presence_.clear_decision();
        events_ = kNoState;
        continue;
      }
      if (const auto decision = decide(outlook)) {
        *presence_.mutable_decision() = *decision;
        continue;
      }
      check_time(outlook);
      if (presence_.phase() == Presence::JOINING && !start_seconds_)
        has_seen_others = check_training(outlook, has_seen_others);
      std::this_thread::sleep_for(kPause);
    }
  }

  /// Ends regroup() with its result. Throws JoinedAgain if this process got its state anew in the
  /// middle of a training.
  std::optional<std::string> finish(std::optional<std::string> result, bool was_joining) {
    is_lost_ = false;
    const bool has_joined = has_joined_;
    has_joined_ = false;
    if (!has_joined || was_joining) return result;
    presence_.set_admits(false);
    throw ops::JoinedAgain(std::move(*result));
  }

  void check_time(const Outlook& outlook) {
    const bool is_start = start_seconds_.has_value();
    if (is_start && outlook.seconds > *start_seconds_) {
      throw DeadlineExceededError("{} waited {:.0f} seconds for {}.", name(), *start_seconds_,
                                  missing(outlook));
    }
    if (is_minority(outlook) && outlook.seconds > options_.timeout) {
      throw UnavailableError("{} cannot reach {}, which may continue without it.", name(),
                             missing(outlook));
    }
    if (steady_seconds() - warned_ < kWarn || outlook.seconds < kWarn) return;
    warned_ = steady_seconds();
    const std::string missing_ones = missing(outlook);
    logging::warning(format("cluster: {} waits for {}", name(),
                            missing_ones.empty() ? "the others to let it in" : missing_ones));
  }

  /// Whether there is a training to join. Throws UnavailableError if there was one and it has
  /// ended.
  bool check_training(const Outlook& outlook, bool was_seen) const {
    bool is_seen = false;
    for (const Sight& sight : outlook.others) {
      const Presence* const presence = sight.state.presence.get();
      if (presence == nullptr || presence->group().generation() == 0) continue;
      if (presence->training() > training_)
        throw ops::TrainingIsOver("{} joined too late: the training has ended.", name());
      is_seen = true;
    }
    if (was_seen && !is_seen)
      throw UnavailableError("The training that {} waited for has ended.", name());
    return is_seen;
  }

  std::string missing(const Outlook& outlook) const {
    std::vector<std::string> names;
    for (const Sight& sight : outlook.others)
      if (!sight.state.alive) names.push_back(all_.name(sight.state.rank));
    return join(names);
  }

  std::string name() const { return all_.name(all_.rank); }

  Outlook look(const Seconds& since) {
    Outlook outlook{.place = all_.rank,
                    .self = presence_,
                    .others = {},
                    .seconds = 0,
                    .patience = options_.timeout / 2};
    for (PeerState& state : peers_->ping(std::min(kLook, options_.timeout))) {
      double& heard = heard_[static_cast<size_t>(state.rank)];
      if (state.alive) heard = steady_seconds();
      outlook.others.push_back({std::move(state), steady_seconds() - heard});
    }
    outlook.seconds = since();
    return outlook;
  }

  /// Connects the group of the decision. Returns nothing if that fails, otherwise regroup()'s
  /// result.
  std::optional<std::optional<std::string>> follow(const GroupDecision& decision) {
    *presence_.mutable_group() = decision;
    presence_.clear_decision();
    try {
      group_ = connect(decision);
      auto result = catch_up();
      rank_ = group_->rank();
      size_ = group_->size();
      presence_.set_phase(Presence::RUNNING);
      publish();
      logging::warning(format("cluster: {} is in group {} of {} workers", name(),
                              decision.generation(), group_->size()));
      return result;
    } catch (const UnavailableError& error) {
      report(decision, error);
    } catch (const DeadlineExceededError& error) {
      report(decision, error);
    }
    group_ = nullptr;
    presence_.set_phase(Presence::REGROUPING);
    return std::nullopt;
  }

  void report(const GroupDecision& decision, const Error& error) const {
    logging::warning(
        format("cluster: group {} could not be formed: {}", decision.generation(), error.what()));
  }

  std::shared_ptr<Communicator> connect(const GroupDecision& decision) {
    Members members = all_;
    members.addresses.clear();
    members.names.clear();
    for (const MemberProcess& member : decision.members()) {
      if (member.place() == all_.rank) members.rank = members.size();
      members.addresses.push_back(all_.addresses.at(static_cast<size_t>(member.place())));
      members.names.push_back(format("worker {}", member.place()));
    }
    server_->set_failure("");
    Store store(members);
    return connect_group(members,
                         {.timeout = options_.timeout,
                          .connect_timeout = std::min(options_.timeout, kConnect),
                          .check = [&] { check_members(decision); },
                          .health = {.interval = 0},
                          .shared_memory = options_.shared_memory,
                          .ask_time = 0},
                         server_, store, decision.key());
  }

  /// Throws UnavailableError if a process has ended while its group is being connected.
  void check_members(const GroupDecision& decision) {
    const Outlook outlook = look(Seconds());
    for (const Sight& sight : outlook.others) {
      for (const MemberProcess& member : decision.members()) {
        if (member.place() != sight.state.rank) continue;
        const Presence* const presence = sight.state.presence.get();
        if (sight.state.has_ended || (presence != nullptr && presence->name() != member.name()))
          throw UnavailableError("{} has ended.", all_.name(member.place()));
      }
    }
  }

  /// Tells the new group this process's progress, and receives what it is missing.
  std::optional<std::string> catch_up() {
    const Progress own{.events = events_, .admits = presence_.admits() ? 1 : 0};
    std::vector<Progress> all(static_cast<size_t>(group_->size()));
    group_->all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    all_admit_ = true;
    int64_t most = kNoState;
    int64_t first = 0;  // rank of the first that is farthest
    for (size_t r = 0; r < all.size(); ++r) {
      if (all[r].events != kNoState && all[r].admits == 0) all_admit_ = false;
      if (all[r].events <= most) continue;
      most = all[r].events;
      first = static_cast<int64_t>(r);
    }
    if (most == kNoState) {  // the first group of the cluster
      events_ = 0;
      return std::nullopt;
    }
    const bool is_first = group_->rank() == first;
    const auto any = [&](const auto& condition) {
      return std::any_of(all.begin(), all.end(), condition);
    };
    std::string result;
    std::string others;
    const bool some_lag =
        any([&](const Progress& p) { return p.events != kNoState && p.events < most; });
    if (some_lag) {
      if (is_first) result = last_was_execution_ ? state() : kept_;
      send(result, first);
    }
    const bool some_join = any([](const Progress& p) { return p.events == kNoState; });
    if (some_join) {
      if (is_first) others = state();
      send(others, first);
    }
    group_->barrier();
    if (own.events == kNoState) {
      // The others count the admission itself as an event.
      events_ = most + (all_admit_ ? 1 : 0);
      has_joined_ = true;
      return others;
    }
    if (own.events == most) return std::nullopt;
    if (own.events + 1 < most)
      throw RuntimeError("The workers disagree on how many events are complete.");
    return result;
  }

  std::string state() const { return tasks_.empty() ? std::string() : tasks_.back().state(); }

  /// Broadcasts a string from one member to all.
  void send(std::string& text, int64_t root) {
    uint64_t size = text.size();
    group_->broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
    text.resize(size);
    group_->broadcast(std::as_writable_bytes(std::span(text)), root);
  }

  // ---- processes that wait ----

  /// The watcher's thread: checks whether a process wants to join. Only the first member's result
  /// is used.
  void watch(const std::stop_token& stop) {
    Peers peers(all_);
    std::unique_lock lock(watch_mutex_);
    while (!stop.stop_requested()) {
      watch_changed_.wait_for(lock, stop, kWatch, [] { return false; });
      if (stop.stop_requested()) return;
      for (const PeerState& state : peers.ping(kLook)) {
        if (state.presence != nullptr && state.presence->phase() == Presence::JOINING &&
            state.presence->training() == training_)
          somebody_waits_ = true;
      }
    }
  }

  static constexpr int64_t kNoState = -1;

  const Members all_;
  const GlooOptions options_;
  const std::shared_ptr<StoreServer> server_;
  std::unique_ptr<Peers> peers_ = std::make_unique<Peers>(all_);
  std::vector<double> heard_;  ///< time of a process's last answer, by its place
  Presence presence_;
  std::shared_ptr<Communicator> group_;
  /// 1 until this process is in a group, so that it takes itself neither for the chief nor for
  /// alone.
  int64_t rank_ = 1;
  int64_t size_ = 2;
  std::vector<Task> tasks_;
  bool alone_ = false;
  bool in_execution_ = false;
  bool is_lost_ = false;     ///< a collective failed since the last regroup()
  bool has_joined_ = false;  ///< the last catch_up() gave this process its state
  bool all_admit_ = false;   ///< in the last catch_up()
  int64_t events_ = kNoState;
  bool last_was_execution_ = false;
  std::string kept_;  ///< result of the last event that was a collective
  std::optional<double> start_seconds_;
  double warned_ = steady_seconds();
  std::atomic<int64_t> training_ = 0;  ///< number of its current or last training
  std::atomic<bool> somebody_waits_ = false;
  std::mutex watch_mutex_;
  std::condition_variable_any watch_changed_;
  std::jthread watcher_;
};

}  // namespace

std::shared_ptr<ops::ElasticGroup> connect_elastically(const GlooOptions& options) {
  return std::make_shared<ElasticCommunicator>(options);
}

}  // namespace antler::cluster
