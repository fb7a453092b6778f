#include "cluster/membership.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace antler::cluster {
namespace {

/// The processes are called "a", "b" and so on, by their places.
std::string name_of(int64_t place) { return std::string(1, static_cast<char>('a' + place)); }

GroupDecision group_of(int64_t generation, const std::vector<int64_t>& places) {
  GroupDecision group;
  group.set_generation(generation);
  group.set_key(std::to_string(generation));
  for (const int64_t place : places) {
    MemberProcess* const member = group.add_members();
    member->set_place(place);
    member->set_name(name_of(place));
  }
  return group;
}

Presence presence(int64_t place, Presence::Phase phase, const GroupDecision& group = {}) {
  Presence presence;
  presence.set_name(name_of(place));
  presence.set_phase(phase);
  *presence.mutable_group() = group;
  return presence;
}

Sight answers(int64_t place, const Presence& presence) {
  Sight sight;
  sight.state = {.rank = place,
                 .alive = true,
                 .has_ended = false,
                 .failure = {},
                 .presence = std::make_shared<Presence>(presence)};
  return sight;
}

Sight ended(int64_t place) {
  Sight sight;
  sight.state = {
      .rank = place, .alive = false, .has_ended = true, .failure = "refused", .presence = {}};
  return sight;
}

Sight silent(int64_t place, double seconds) {
  Sight sight;
  sight.state = {
      .rank = place, .alive = false, .has_ended = false, .failure = "deadline", .presence = {}};
  sight.silent = seconds;
  return sight;
}

std::string members_of(const std::optional<GroupDecision>& decision) {
  std::string names;
  if (!decision) return "none";
  for (const MemberProcess& member : decision->members()) names += member.name();
  return names;
}

Outlook outlook(const Presence& self, int64_t place, std::vector<Sight> others) {
  return {.place = place,
          .self = self,
          .others = std::move(others),
          .seconds = 0,
          .patience = 5,
          .limit = 10};
}

/// The text of `lost_member`: "b has ended", or "".
std::string lost_of(const Outlook& outlook, const GroupDecision& group, bool is_connected) {
  const auto member = lost_member(outlook, group, is_connected);
  return member ? name_of(member->place) + " " + member->reason : "";
}

TEST(Membership, TheFirstGroupHasAllProcesses) {
  const Presence self = presence(0, Presence::JOINING);
  const Sight one = answers(1, presence(1, Presence::JOINING));
  const Sight two = answers(2, presence(2, Presence::JOINING));
  EXPECT_EQ(members_of(decide(outlook(self, 0, {one, two}))), "abc");
  EXPECT_EQ(members_of(decide(outlook(self, 0, {one, ended(2)}))), "none");
  // The first process decides.
  const Presence other = presence(1, Presence::JOINING);
  EXPECT_EQ(members_of(decide(outlook(other, 1, {answers(0, self), two}))), "none");
}

TEST(Membership, ThoseThatAreLeftGoOn) {
  const GroupDecision group = group_of(3, {0, 1, 2});
  const Presence self = presence(1, Presence::REGROUPING, group);
  const Sight two = answers(2, presence(2, Presence::REGROUPING, group));
  const auto decision = decide(outlook(self, 1, {ended(0), two}));
  EXPECT_EQ(members_of(decision), "bc");
  EXPECT_EQ(decision->generation(), 4);
  // The other one follows, and does not decide itself.
  Presence decided = self;
  *decided.mutable_decision() = *decision;
  const Outlook of_two =
      outlook(presence(2, Presence::REGROUPING, group), 2, {ended(0), answers(1, decided)});
  EXPECT_EQ(members_of(decide(of_two)), "none");
  EXPECT_EQ(members_of(decision_for(of_two)), "bc");
}

TEST(Membership, WhoHasNotNoticedTheLossIsWaitedFor) {
  const GroupDecision group = group_of(1, {0, 1, 2});
  const Presence self = presence(0, Presence::REGROUPING, group);
  Outlook view = outlook(self, 0, {answers(1, presence(1, Presence::RUNNING, group)), ended(2)});
  EXPECT_EQ(members_of(decide(view)), "none");
  view.others[0] = answers(1, presence(1, Presence::REGROUPING, group));
  EXPECT_EQ(members_of(decide(view)), "ab");
}

TEST(Membership, WhoDoesNotTakePartIsLostAfterTheLimit) {
  const GroupDecision group = group_of(1, {0, 1, 2});
  const Presence self = presence(0, Presence::REGROUPING, group);
  const Sight looks = answers(1, presence(1, Presence::REGROUPING, group));
  Outlook view = outlook(self, 0, {looks, answers(2, presence(2, Presence::RUNNING, group))});
  view.seconds = 9;  // more than the patience with those that do not answer
  EXPECT_EQ(members_of(decide(view)), "none");
  view.seconds = 11;
  EXPECT_EQ(members_of(decide(view)), "ab");
}

TEST(Membership, AGroupThatDidNotComeAboutIsLeftByAllBeforeTheNextOne) {
  // Group 2 of four was decided on; the fourth died while it was connected. The first has noticed.
  const GroupDecision group = group_of(2, {0, 1, 2, 3});
  const Presence zero = presence(0, Presence::REGROUPING, group);
  const Presence connects = presence(1, Presence::CONNECTING, group);
  const Presence two = presence(2, Presence::REGROUPING, group);
  // A decision now would wait for the second, which still waits for the dead one.
  EXPECT_EQ(members_of(decide(outlook(zero, 0, {answers(1, connects), answers(2, two), ended(3)}))),
            "none");
  // The second learns of it from the dead one's machine, or from those that have given up.
  const Outlook of_one = outlook(connects, 1, {answers(0, zero), answers(2, two), silent(3, 1)});
  EXPECT_EQ(lost_of(of_one, group, false), "a has given up on this group");
  const Presence failed = presence(1, Presence::REGROUPING, group);
  EXPECT_EQ(members_of(decide(outlook(zero, 0, {answers(1, failed), answers(2, two), ended(3)}))),
            "abc");
}

TEST(Membership, AMemberThatHasNotFollowedYetIsNotLost) {
  const GroupDecision last = group_of(1, {0, 1});
  GroupDecision next = group_of(2, {0, 1, 2});
  const Presence self = presence(0, Presence::CONNECTING, next);
  const Sight member = answers(1, presence(1, Presence::REGROUPING, last));
  const Sight joins = answers(2, presence(2, Presence::JOINING));
  EXPECT_EQ(lost_of(outlook(self, 0, {member, joins}), next, false), "");
  // It will: the decision is in the presence of those that are connecting.
  const Outlook of_one =
      outlook(presence(1, Presence::REGROUPING, last), 1, {answers(0, self), joins});
  EXPECT_EQ(members_of(decision_for(of_one)), "abc");
}

TEST(Membership, WhoComesBackDoesNotFollowALostGroup) {
  // Both were left behind; the other one has not noticed yet.
  const Sight other = answers(1, presence(1, Presence::REGROUPING, group_of(3, {0, 1, 2})));
  Presence self = presence(0, Presence::JOINING);
  self.set_trains(true);
  EXPECT_EQ(members_of(decision_for(outlook(self, 0, {other}))), "none");
  const Sight takes_it_in = answers(1, presence(1, Presence::CONNECTING, group_of(4, {1, 0})));
  EXPECT_EQ(members_of(decision_for(outlook(self, 0, {takes_it_in}))), "ba");
}

TEST(Membership, WhoIsLostWhileAGroupConnectsOrRuns) {
  const GroupDecision group = group_of(2, {0, 1});
  const Presence self = presence(0, Presence::CONNECTING, group);
  const auto lost = [&](const Sight& sight, bool is_connected) {
    return lost_of(outlook(self, 0, {sight}), group, is_connected);
  };
  EXPECT_EQ(lost(ended(1), false), "b has ended");
  // It may have ended after it did its part; its connection tells if not.
  EXPECT_EQ(lost(ended(1), true), "");
  for (const bool is_connected : {false, true}) {
    EXPECT_EQ(lost(silent(1, 4), is_connected), "");
    EXPECT_EQ(lost(silent(1, 6), is_connected), "b does not answer");
    Presence other = presence(1, Presence::OUTSIDE);
    other.set_name("new");
    EXPECT_EQ(lost(answers(1, other), is_connected), "b has ended, and another process began");
    EXPECT_EQ(lost(answers(1, presence(1, Presence::RUNNING, group)), is_connected), "");
  }
  EXPECT_EQ(lost(answers(1, presence(1, Presence::OUTSIDE)), false),
            "b has given up on this group");
  EXPECT_EQ(lost(answers(1, presence(1, Presence::RUNNING, group_of(3, {1}))), false),
            "b has given up on this group");
}

TEST(Membership, ASilentMinorityIsLeftBehind) {
  const GroupDecision group = group_of(1, {0, 1, 2});
  const Presence self = presence(0, Presence::REGROUPING, group);
  const Sight one = answers(1, presence(1, Presence::REGROUPING, group));
  EXPECT_EQ(members_of(decide(outlook(self, 0, {one, silent(2, 4)}))), "none");
  EXPECT_EQ(members_of(decide(outlook(self, 0, {one, silent(2, 6)}))), "ab");
  // The third is back; the others have continued without it.
  const Presence runs = presence(0, Presence::RUNNING, group_of(2, {0, 1}));
  const Presence late = presence(2, Presence::REGROUPING, group);
  EXPECT_TRUE(is_left_behind(outlook(late, 2, {answers(0, runs)})));
  EXPECT_FALSE(is_left_behind(outlook(late, 2, {silent(0, 9), silent(1, 9)})));
}

TEST(Membership, HalfOfAGroupGoesOnIfItHasTheFirstMember) {
  const GroupDecision group = group_of(1, {0, 1, 2, 3});
  const auto looks = [&](int64_t place) {
    return answers(place, presence(place, Presence::REGROUPING, group));
  };
  const Presence zero = presence(0, Presence::REGROUPING, group);
  const Presence two = presence(2, Presence::REGROUPING, group);
  EXPECT_EQ(members_of(decide(outlook(zero, 0, {looks(1), silent(2, 9), silent(3, 9)}))), "ab");
  const Outlook cut_off = outlook(two, 2, {silent(0, 9), silent(1, 9), looks(3)});
  EXPECT_EQ(members_of(decide(cut_off)), "none");
  EXPECT_TRUE(is_minority(cut_off));
  // Members that have ended do not count.
  EXPECT_EQ(members_of(decide(outlook(two, 2, {ended(0), silent(1, 9), looks(3)}))), "cd");
}

TEST(Membership, AProcessThatStartedAnewIsNotTheMember) {
  const GroupDecision group = group_of(1, {0, 1});
  const Presence self = presence(1, Presence::REGROUPING, group);
  Presence again = presence(0, Presence::OUTSIDE);
  again.set_name("new");
  EXPECT_EQ(members_of(decide(outlook(self, 1, {answers(0, again)}))), "b");
  EXPECT_TRUE(has_begun(outlook(again, 0, {answers(1, self)})));
}

TEST(Membership, ThoseThatWaitComeInWhenAllAdmitThem) {
  const GroupDecision group = group_of(1, {1, 2});
  Presence self = presence(1, Presence::REGROUPING, group);
  Presence two = presence(2, Presence::REGROUPING, group);
  const Presence waits = presence(0, Presence::JOINING);
  self.set_admits(true);
  EXPECT_EQ(members_of(decide(outlook(self, 1, {answers(0, waits), answers(2, two)}))), "bc");
  two.set_admits(true);
  const auto decision = decide(outlook(self, 1, {answers(0, waits), answers(2, two)}));
  EXPECT_EQ(members_of(decision), "bca");
  // Nobody decides before it knows who waits.
  Sight not_asked = silent(0, 0);
  not_asked.is_fresh = false;
  EXPECT_EQ(members_of(decide(outlook(self, 1, {not_asked, answers(2, two)}))), "none");
  // Not those that are in another training.
  self.set_training(2);
  EXPECT_EQ(members_of(decide(outlook(self, 1, {answers(0, waits), answers(2, two)}))), "bc");
}

}  // namespace
}  // namespace antler::cluster
