#include "runtime/cpu/team.h"

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

/// Which thread ran each part.
std::vector<std::thread::id> run_parts(int parts) {
  std::vector<std::thread::id> ran(static_cast<size_t>(parts));
  std::vector<std::atomic<int>> times(static_cast<size_t>(parts));
  Team::run(parts, [&](int part) {
    ran[static_cast<size_t>(part)] = std::this_thread::get_id();
    ++times[static_cast<size_t>(part)];
  });
  for (const std::atomic<int>& count : times) EXPECT_EQ(count, 1);
  return ran;
}

TEST(Team, RunsEachPartOnceOnTheSameThreadEachTime) {
  for (const int threads : {2, 3, 8}) {
    Team::open(threads, [&] {
      const auto first = run_parts(threads);
      EXPECT_EQ(first[0], std::this_thread::get_id());
      for (int i = 0; i < 200; ++i) {
        for (const int parts : {1, 2, threads, threads + 3}) {
          const auto ran = run_parts(parts);
          for (int part = 0; part < std::min(parts, threads); ++part) {
            EXPECT_EQ(ran[static_cast<size_t>(part)], first[static_cast<size_t>(part)]);
          }
        }
      }
    });
  }
}

TEST(Team, PartsMayOpenTeamsOfTheirOwn) {
  std::atomic<int> ran = 0;
  Team::open(2, [&] {
    Team::run(2, [&](int) { Team::open(2, [&] { Team::run(3, [&](int) { ++ran; }); }); });
    Team::open(2, [&] { Team::run(2, [&](int) { ++ran; }); });
  });
  EXPECT_EQ(ran, 8);
}

TEST(Team, WakesSleepingThreads) {
  std::atomic<int> ran = 0;
  Team::open(3, [&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      Team::run(3, [&](int) { ++ran; });
    }
  });
  EXPECT_EQ(ran, 9);
}

TEST(Team, EndsWhenItsWorkThrows) {
  EXPECT_THROW(Team::open(2, [] { throw std::runtime_error("work"); }), std::runtime_error);
  EXPECT_EQ(run_parts(2).size(), 2);
  Team::open(2, [] { run_parts(2); });
}

TEST(Team, HostThreadsHaveSeparateTeams) {
  std::atomic<int> ran = 0;
  std::vector<std::thread> hosts;
  hosts.reserve(3);
  for (int h = 0; h < 3; ++h) {
    hosts.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Team::open(2, [&] {
          for (int j = 0; j < 5; ++j) Team::run(2, [&](int) { ++ran; });
        });
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(ran, 3 * 50 * 5 * 2);
}

TEST(ParallelEach, RunsEachItemOnceAndStealsWork) {
  for (const bool with_team : {false, true}) {
    Team::open(with_team ? 3 : 1, [&] {
      std::array<std::atomic<int>, 100> times{};
      parallel_each(3, 100, [&](int64_t i, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, 3);
        if (i < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++times[static_cast<size_t>(i)];
      });
      for (const std::atomic<int>& count : times) EXPECT_EQ(count, 1);
    });
  }
}

}  // namespace
}  // namespace antler::runtime
