#include "cluster/closure_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "antler/antler.h"
#include "cluster/remote_value.h"

namespace antler::cluster {
namespace {

ClosurePtr make_closure() {
  auto closure = std::make_shared<ScheduledClosure>();
  closure->result = std::make_shared<RemoteValue::State>();
  return closure;
}

/// Time in which another thread begins to wait.
constexpr std::chrono::milliseconds kMoment(100);

std::exception_ptr error() { return std::make_exception_ptr(ValueError("wrong")); }

TEST(ClosureQueue, CountsWhatRuns) {
  ClosureQueue queue;
  EXPECT_TRUE(queue.done());
  queue.put(make_closure());
  EXPECT_FALSE(queue.done());
  const ClosurePtr taken = queue.take(1, 1).at(0);
  EXPECT_FALSE(queue.done());
  queue.finish(taken, Tensor(2.0));
  EXPECT_TRUE(queue.done());
  queue.wait();
  EXPECT_EQ(taken->result->get().tensor().item(), 2);
}

TEST(ClosureQueue, TakersShareWhatWaits) {
  ClosureQueue queue;
  for (int i = 0; i < 9; ++i) queue.put(make_closure());
  EXPECT_EQ(queue.take(100, 2).size(), 5U);
  EXPECT_EQ(queue.take(3, 1).size(), 3U);
}

TEST(ClosureQueue, WhatIsPutBackComesLast) {
  ClosureQueue queue;
  std::vector<ClosurePtr> closures;
  for (int i = 0; i < 3; ++i) queue.put(closures.emplace_back(make_closure()));
  queue.put_back(queue.take(1, 1).at(0));
  EXPECT_EQ(queue.take(3, 1), (std::vector<ClosurePtr>{closures[1], closures[2], closures[0]}));
  for (const ClosurePtr& closure : closures) queue.finish(closure, {});
  EXPECT_TRUE(queue.done());
}

TEST(ClosureQueue, AnErrorIsThrownOnceAndCancelsWhatWaits) {
  ClosureQueue queue;
  std::vector<ClosurePtr> closures;
  for (int i = 0; i < 4; ++i) queue.put(closures.emplace_back(make_closure()));
  const std::vector<ClosurePtr> taken = queue.take(2, 1);
  queue.fail(taken[0], error());
  EXPECT_THROW(closures[0]->result->get(), ValueError);
  EXPECT_THROW(closures[2]->result->get(), CancelledError);
  EXPECT_THROW(closures[3]->result->get(), CancelledError);
  EXPECT_FALSE(closures[1]->result->is_ready());
  // The error waits for the one that still runs.
  std::future<bool> waits = std::async(std::launch::async, [&] {
    try {
      queue.wait();
    } catch (const ValueError&) {
      return closures[1]->result->is_ready();
    }
    return false;
  });
  queue.finish(taken[1], Tensor(1.0));
  EXPECT_TRUE(waits.get());
  EXPECT_TRUE(queue.done());
  queue.put(make_closure());
  EXPECT_EQ(queue.take(1, 1).size(), 1U);
}

TEST(ClosureQueue, EveryCallThrowsTheError) {
  const auto failed = [] {
    auto queue = std::make_unique<ClosureQueue>();
    queue->put(make_closure());
    queue->fail(queue->take(1, 1).at(0), error());
    return queue;
  };
  EXPECT_THROW(failed()->put(make_closure()), ValueError);
  EXPECT_THROW(failed()->wait(), ValueError);
  EXPECT_THROW(failed()->done(), ValueError);
}

TEST(ClosureQueue, OneOfSeveralThreadsThrowsTheError) {
  ClosureQueue queue;
  for (int i = 0; i < 2; ++i) queue.put(make_closure());
  const std::vector<ClosurePtr> taken = queue.take(2, 1);
  const auto wait = [&] {
    try {
      queue.wait();
    } catch (const ValueError&) {
      return 1;
    }
    return 0;
  };
  std::future<int> first = std::async(std::launch::async, wait);
  std::future<int> second = std::async(std::launch::async, wait);
  queue.fail(taken[0], error());
  std::this_thread::sleep_for(kMoment);
  queue.finish(taken[1], {});
  EXPECT_EQ(first.get() + second.get(), 1);
}

/// A lost worker's thread waits for the end while it tries to connect.
TEST(ClosureQueue, AClosureWakesATaker) {
  ClosureQueue queue;
  std::future<bool> stops = std::async(std::launch::async, [&] { return queue.stopped(600); });
  std::this_thread::sleep_for(kMoment);
  std::future<size_t> takes =
      std::async(std::launch::async, [&] { return queue.take(1, 1).size(); });
  std::this_thread::sleep_for(kMoment);
  queue.put(make_closure());
  EXPECT_EQ(takes.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  queue.stop();
  EXPECT_TRUE(stops.get());
}

TEST(ClosureQueue, WhatIsPutBackBesideAnErrorIsCancelled) {
  ClosureQueue queue;
  for (int i = 0; i < 2; ++i) queue.put(make_closure());
  const std::vector<ClosurePtr> taken = queue.take(2, 1);
  queue.fail(taken[0], error());
  queue.put_back(taken[1]);
  EXPECT_THROW(taken[1]->result->get(), CancelledError);
  EXPECT_THROW(queue.wait(), ValueError);
  EXPECT_TRUE(queue.done());
}

TEST(ClosureQueue, StopReleasesAllThreads) {
  ClosureQueue queue;
  std::future<size_t> takes =
      std::async(std::launch::async, [&] { return queue.take(1, 1).size(); });
  std::future<bool> stops = std::async(std::launch::async, [&] { return queue.stopped(600); });
  queue.stop();
  EXPECT_EQ(takes.get(), 0U);
  EXPECT_TRUE(stops.get());

  ClosureQueue full;
  const ClosurePtr waiting = make_closure();
  full.put(waiting);
  full.stop();
  EXPECT_THROW(waiting->result->get(), CancelledError);
  const ClosurePtr late = make_closure();
  full.put(late);
  EXPECT_THROW(late->result->get(), CancelledError);

  ClosureQueue blocked;
  blocked.put(make_closure());
  const ClosurePtr second = make_closure();
  std::future<void> puts = std::async(std::launch::async, [&] { blocked.put(second, 1); });
  std::this_thread::sleep_for(kMoment);
  blocked.stop();
  puts.get();
  EXPECT_THROW(second->result->get(), CancelledError);
}

}  // namespace
}  // namespace antler::cluster
