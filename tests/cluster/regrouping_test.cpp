// Members that are lost while a group is connected and catches up. Nothing here measures time: the
// timeouts are an hour, so that a test ends only if the loss is noticed without them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "antler/base/error.h"
#include "cluster/elastic_communicator.h"
#include "cluster/gloo_group.h"
#include "cluster/group_connector.h"
#include "cluster/members.h"
#include "cluster/peer_monitor.h"
#include "cluster/peers.h"
#include "cluster/processes.h"
#include "cluster/store.h"
#include "cluster/store_server.h"

#include <cluster.pb.h>

namespace antler::cluster {
namespace {

constexpr double kHour = 3600;

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

/// A process of the cluster that does what a test tells it to do.
class Actor {
 public:
  Actor(const std::vector<std::string>& addresses, int64_t rank)
      : members_(make_members({.rank = rank, .addresses = addresses})),
        server_(std::make_shared<StoreServer>(members_)) {
    presence_.set_name("actor");
    presence_.set_phase(Presence::JOINING);
    server_->set_presence(presence_);
  }

  /// Decides on the first group, as process 0 does. Waits until all others are there.
  void decide_first() {
    GroupDecision& decision = *presence_.mutable_decision();
    decision.set_generation(1);
    decision.set_key("group of the actor");
    for (int64_t place = 0; place < members_.size(); ++place)
      decision.add_members()->set_place(place);
    decision.mutable_members(static_cast<int>(members_.rank))->set_name(presence_.name());
    wait_for([&](const PeerState& state) {
      if (state.presence == nullptr) return false;
      decision.mutable_members(static_cast<int>(state.rank))->set_name(state.presence->name());
      return true;
    });
    server_->set_presence(presence_);
  }

  /// Waits until all others connect a group with this process, and returns it.
  GroupDecision wait_for_connecting() {
    GroupDecision group;
    wait_for([&](const PeerState& state) {
      if (state.presence == nullptr || state.presence->phase() != Presence::CONNECTING)
        return false;
      group = state.presence->group();
      return true;
    });
    return group;
  }

  std::shared_ptr<ops::Communicator> connect(const GroupDecision& group) {
    Store store(members_);
    return connect_group(members_, {.timeout = kHour, .health = {.interval = 0}}, server_, store,
                         group.key());
  }

  void end() { server_ = nullptr; }

 private:
  void wait_for(const std::function<bool(const PeerState&)>& condition) {
    Peers peers(members_);
    for (bool all = false; !all; pause()) {
      all = true;
      for (const PeerState& state : peers.ping(1)) all = condition(state) && all;
    }
  }

  const Members members_;
  std::shared_ptr<StoreServer> server_;
  Presence presence_;
};

using Group = std::shared_ptr<ops::ElasticGroup>;

/// A real process of the cluster.
std::future<Group> start(const std::vector<std::string>& addresses, int64_t rank) {
  return std::async(std::launch::async, [=] {
    return connect_elastically({.rank = rank, .addresses = addresses, .timeout = kHour});
  });
}

void expect_both_work(std::future<Group>& first, std::future<Group>& second) {
  const Group one = first.get();
  const Group two = second.get();
  EXPECT_EQ(one->size(), 2);
  EXPECT_EQ(two->size(), 2);
  const auto sum = [](ops::ElasticGroup& group) {
    float value = 1;
    group.all_reduce(&value, 1, DType::float32, ops::ReduceOp::sum);
    return value;
  };
  std::future<float> other = std::async(std::launch::async, [&] { return sum(*two); });
  EXPECT_EQ(sum(*one), 2);
  EXPECT_EQ(other.get(), 2);
}

TEST(Regrouping, AMemberEndsWhileAGroupConnects) {
  const auto addresses = test::free_addresses(3);
  Actor actor(addresses, 2);
  auto zero = start(addresses, 0);
  auto one = start(addresses, 1);
  actor.wait_for_connecting();
  actor.end();
  expect_both_work(zero, one);
}

TEST(Regrouping, TheMemberWithTheKeysEndsWhileAGroupConnects) {
  const auto addresses = test::free_addresses(3);
  Actor actor(addresses, 0);
  auto one = start(addresses, 1);
  auto two = start(addresses, 2);
  actor.decide_first();
  actor.wait_for_connecting();
  actor.end();
  expect_both_work(one, two);
}

TEST(Regrouping, AMemberEndsWhileAGroupCatchesUp) {
  const auto addresses = test::free_addresses(3);
  Actor actor(addresses, 2);
  auto zero = start(addresses, 0);
  auto one = start(addresses, 1);
  auto connection = actor.connect(actor.wait_for_connecting());
  actor.end();
  connection = nullptr;
  expect_both_work(zero, one);
}

TEST(GroupConnector, AnAttemptEndsWhenAMemberIsLost) {
  const auto addresses = test::free_addresses(2);
  const Members members = make_members({.addresses = addresses});
  const auto server = std::make_shared<StoreServer>(members);
  GroupConnector connector;
  int asked = 0;
  GroupOptions options{.timeout = kHour, .connect_timeout = kHour};
  options.lost = [&] { return ++asked < 3 ? "" : "worker 1 has ended"; };
  try {
    connector.connect(members, options, server, "key");
    FAIL() << "worker 1 has not come";
  } catch (const UnavailableError& error) {
    EXPECT_STREQ(error.what(), "worker 1 has ended");
  }
}

TEST(PeerMonitor, FollowsAProcessThatEndsAndComesBack) {
  const auto addresses = test::free_addresses(2);
  const PeerMonitor monitor(make_members({.addresses = addresses}), 1);
  const auto wait_for = [&](const std::function<bool(const Sight&)>& condition) {
    while (!condition(monitor.look(0).at(0))) pause();
  };
  const auto has_ended = [](const Sight& sight) { return sight.state.has_ended; };
  const auto answers = [](const Sight& sight) {
    return sight.state.presence != nullptr && sight.silent == 0;
  };
  wait_for(has_ended);
  for (int start = 0; start < 2; ++start) {
    const Actor actor(addresses, 1);
    wait_for(answers);
  }
  wait_for(has_ended);
  // Nobody has been asked in the future.
  EXPECT_FALSE(monitor.look(1e18).at(0).state.has_ended);
}

}  // namespace
}  // namespace antler::cluster
