#include "cluster/elastic_communicator.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/random_seed.h"
#include "cluster/catch_up.h"
#include "cluster/group_search.h"

namespace antler::cluster {
namespace {

using Reason = GroupSearch::Reason;

class ElasticCommunicator final : public ops::ElasticGroup {
 public:
  explicit ElasticCommunicator(const GlooOptions& options) : search_(options) { start(options); }

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    call({static_cast<std::byte*>(data), count * dtype_size(dtype)},
         [&] { group_->all_reduce(data, count, dtype, op); });
  }

  void all_reduce_arrays(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) override {
    if (is_idle()) return Communicator::all_reduce_arrays(arrays, dtype, op);
    // A compiled program makes this call. Only the caller of the program knows what must be
    // repeated.
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
    Presence& presence = search_.presence();
    tasks_.push_back({std::move(state), is_training});
    if (is_training) presence.set_training(presence.training() + 1);
    presence.set_trains(trains());
    search_.publish();
    if (!is_outside() || !is_training) return std::nullopt;
    presence.set_phase(Presence::JOINING);
    try {
      return regroup(Reason::join);
    } catch (const ops::TrainingIsOver&) {
      presence.set_phase(Presence::OUTSIDE);
      search_.publish();
      throw;
    }
  }

  void leave() override {
    tasks_.pop_back();
    in_execution_ = false;
    search_.presence().set_trains(trains());
    search_.publish();
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
    auto result = regroup(loss_);
    if (result) {
      last_was_execution_ = true;
      ++events_;
    }
    return result;
  }

  void admit() override {
    if (is_outside()) return;
    int32_t some = search_.somebody_waits() ? 1 : 0;
    all_reduce(&some, 1, DType::int32, ops::ReduceOp::max);
    if (some == 0) return;
    search_.presence().set_admits(true);
    // If the others do not admit this process yet, they are still recovering from a loss.
    while (!regroup(Reason::loss) && !all_admit_) {
    }
    search_.presence().set_admits(false);
    kept_.clear();
    last_was_execution_ = false;
    ++events_;
    search_.publish();
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
  bool is_outside() const { return search_.presence().phase() == Presence::OUTSIDE; }
  bool is_idle() const { return is_outside() || alone_; }
  bool trains() const {
    return std::any_of(tasks_.begin(), tasks_.end(), [](const Task& t) { return t.is_training; });
  }

  // ---- collectives ----

  void check_group() const {
    if (group_ == nullptr)
      throw UnavailableError("{} does not belong to a group of workers.", search_.name());
  }

  template <class Collective>
  void call_once(const Collective& collective) {
    check_group();
    try {
      collective();
    } catch (const DeadlineExceededError&) {
      is_lost_ = true;
      loss_ = Reason::late_loss;
      throw;
    } catch (const UnavailableError&) {
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
    const std::vector<std::byte> before(result.begin(), result.end());
    for (;;) {
      try {
        call_once(collective);
        break;
      } catch (const UnavailableError&) {
        if (!is_lost_) throw;
      } catch (const DeadlineExceededError&) {
      }
      std::copy(before.begin(), before.end(), result.begin());
      if (const auto other = regroup(loss_)) {
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
  void start(const GlooOptions& options) {
    Presence& presence = search_.presence();
    try {
      regroup(Reason::start, options.start_timeout);
    } catch (const GroupSearch::HasBegun&) {
      use_seeds();
      presence.set_phase(Presence::OUTSIDE);
      search_.publish();
      return;
    }
    SeedSequence seeds = seed_sequence();
    broadcast(std::as_writable_bytes(std::span(&seeds, 1)), 0);
    presence.set_seeds(&seeds, sizeof seeds);
    search_.publish();
  }

  /// Draws the same seeds as the other processes drew when they started.
  void use_seeds() const {
    SeedSequence seeds;
    const std::string& bytes = search_.presence().seeds();
    if (bytes.size() != sizeof seeds) return;
    std::memcpy(&seeds, bytes.data(), sizeof seeds);
    set_seed_sequence(seeds);
  }

  /// Forms a new group of the remaining processes. Returns what this process is missing: the result
  /// of its current event if another process has completed it, or the others' state if this process
  /// has none. Returns nothing if all repeat the event.
  std::optional<std::string> regroup(Reason reason, std::optional<double> limit = {}) {
    // Destroyed at the end: another process may still be in its last call.
    const std::shared_ptr<Communicator> old = std::exchange(group_, nullptr);
    search_.begin(reason, limit);
    for (;;) {
      try {
        const std::shared_ptr<Communicator> next = search_.next();
        const auto others = learn(*next);
        if (!others) continue;
        auto missed = take(*others, reason);
        group_ = next;
        rank_ = group_->rank();
        size_ = group_->size();
        is_lost_ = false;
        loss_ = Reason::loss;
        search_.settle();
        if (!has_joined_again_) return missed;
        has_joined_again_ = false;
        search_.presence().set_admits(false);
        throw ops::JoinedAgain(*std::move(missed));
      } catch (const GroupSearch::LeftBehind&) {
        events_ = Progress::kNoState;
        search_.begin(Reason::join);
      }
    }
  }

  /// Learns the progress of the members of a new group. Returns nothing if the group is lost
  /// meanwhile.
  std::optional<CaughtUp> learn(Communicator& group) {
    try {
      return catch_up(
          group, {.events = events_, .admits = search_.presence().admits()},
          [&] { return last_was_execution_ ? state() : kept_; }, [&] { return state(); });
    } catch (const UnavailableError& error) {
      search_.give_up(error);
    } catch (const DeadlineExceededError& error) {
      search_.give_up(error);
    }
    return std::nullopt;
  }

  /// Adopts the progress that this process has learnt. Returns what regroup() returns.
  std::optional<std::string> take(const CaughtUp& others, Reason reason) {
    all_admit_ = others.all_admit;
    if (others.events == Progress::kNoState) {
      if (reason != Reason::start)
        throw UnavailableError("All workers that had the state of the training are lost.");
      events_ = 0;
      return std::nullopt;
    }
    if (events_ == Progress::kNoState) {
      // The others count the admission itself as an event.
      events_ = others.events + (all_admit_ ? 1 : 0);
      has_joined_again_ = reason == Reason::loss || reason == Reason::late_loss;
    } else if (events_ + 1 < others.events) {
      throw RuntimeError("The workers disagree on how many events are complete.");
    }
    return others.missed;
  }

  std::string state() const { return tasks_.empty() ? std::string() : tasks_.back().state(); }

  GroupSearch search_;
  std::shared_ptr<Communicator> group_;
  /// 1 until this process is in a group, so that it considers itself neither the chief nor alone.
  int64_t rank_ = 1;
  int64_t size_ = 2;
  std::vector<Task> tasks_;
  bool alone_ = false;
  bool in_execution_ = false;
  bool is_lost_ = false;                 ///< a collective failed since the last regroup()
  Reason loss_ = Reason::loss;           ///< the reason for that
  bool has_joined_again_ = false;        ///< it had lost its state and received that of the others
  bool all_admit_ = false;               ///< in the last regroup()
  int64_t events_ = Progress::kNoState;  ///< completed by this process
  bool last_was_execution_ = false;
  std::string kept_;  ///< result of the last event that was a collective
};

}  // namespace

std::shared_ptr<ops::ElasticGroup> connect_elastically(const GlooOptions& options) {
  return std::make_shared<ElasticCommunicator>(options);
}

}  // namespace antler::cluster
