// Callbacks of several workers.

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "antler/antler.h"
#include "antler/distribute/multi_worker.h"
#include "support/worker_group.h"

namespace antler {
namespace {

using test::run_in_workers;

/// Stops training at a given step, like a callback that looks at the clock.
class StopsAt : public Callback {
 public:
  /// `batch` -1: at the end of the epoch.
  StopsAt(int64_t epoch, int64_t batch) : epoch_(epoch), batch_(batch) {}
  void on_epoch_begin(int epoch, const Logs&) override { at_ = epoch; }
  void on_train_batch_end(int batch, const Logs&) override {
    last_batch = batch;
    if (at_ == epoch_ && batch == batch_) model->set_stop_training(true);
  }
  void on_epoch_end(int epoch, const Logs&) override {
    ++epochs;
    if (epoch == epoch_ && batch_ < 0) model->set_stop_training(true);
  }
  bool uses(BatchHook) const override { return batch_ >= 0; }
  int64_t epochs = 0;
  int64_t last_batch = -1;

 private:
  int64_t epoch_;
  int64_t batch_;
  int64_t at_ = 0;
};

/// Trains for 4 epochs of 6 steps with a different callback in each worker.
void train(const ops::Communicator& group, const std::vector<std::shared_ptr<StopsAt>>& callbacks,
           int64_t spe = 1) {
  Sequential model({layers::Input({3}), Dense(1)});
  model.compile("sgd", "mse", kw::steps_per_execution = spe);
  Callbacks own;
  const auto& mine = callbacks[static_cast<size_t>(group.rank())];
  if (mine != nullptr) own.push_back(mine);
  model.fit(ops::ones({24, 3}), ops::ones({24, 1}), kw::batch_size = 4, kw::epochs = 4,
            kw::verbose = 0, kw::callbacks = own);
}

TEST(WorkerCallbacks, OneWorkerStopsAllInTheMiddleOfAnEpoch) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  const auto never = std::make_shared<StopsAt>(99, 99);
  const auto stops = std::make_shared<StopsAt>(1, 3);
  train(*group, {never, stops}, 2);
  const StopsAt& mine = group->rank() == 0 ? *never : *stops;
  EXPECT_EQ(mine.epochs, 2);
  EXPECT_EQ(mine.last_batch, 3);
}

TEST(WorkerCallbacks, OneWorkerAloneHasACallback) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  const auto stops = std::make_shared<StopsAt>(0, 1);
  train(*group, {nullptr, stops});
  // Both reach the next collective.
  int64_t value = group->rank() == 0 ? 7 : 0;
  group->broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
  EXPECT_EQ(value, 7);
  if (group->rank() == 1) {
    EXPECT_EQ(stops->epochs, 1);
    EXPECT_EQ(stops->last_batch, 1);
  }
}

TEST(WorkerCallbacks, OneWorkerStopsAllAtTheEndOfAnEpoch) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  const auto never = std::make_shared<StopsAt>(99, -1);
  const auto stops = std::make_shared<StopsAt>(1, -1);
  train(*group, {never, stops});
  EXPECT_EQ((group->rank() == 0 ? *never : *stops).epochs, 2);
}

/// Counts the messages of a group.
class Counted final : public ops::Communicator {
 public:
  explicit Counted(std::shared_ptr<ops::Communicator> group) : group_(std::move(group)) {}
  int64_t rank() const override { return group_->rank(); }
  int64_t size() const override { return group_->size(); }
  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    ++messages;
    group_->all_reduce(data, count, dtype, op);
  }
  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    ++messages;
    group_->all_gather(block, result);
  }
  void broadcast(std::span<std::byte> data, int64_t root) override {
    ++messages;
    group_->broadcast(data, root);
  }
  void barrier() override { group_->barrier(); }
  int64_t messages = 0;

 private:
  std::shared_ptr<ops::Communicator> group_;
};

TEST(WorkerCallbacks, CallbacksThatFollowTheLogsCostNoMessages) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto counted = std::make_shared<Counted>(group);
  const auto strategy = distribute::multi_worker_strategy(counted);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({3}), Dense(1)});
  model.compile("sgd", "mse");
  const auto messages = [&](const Callbacks& callbacks) {
    const int64_t before = counted->messages;
    model.fit(ops::ones({24, 3}), ops::ones({24, 1}), kw::batch_size = 4, kw::epochs = 2,
              kw::verbose = 0, kw::callbacks = callbacks);
    return counted->messages - before;
  };
  messages({});
  const int64_t alone = messages({});
  EXPECT_EQ(messages({callbacks::TerminateOnNaN()}), alone);
  // One after each step of both epochs.
  EXPECT_EQ(messages({std::make_shared<StopsAt>(99, 99)}), alone + 12);
}

}  // namespace
}  // namespace antler
