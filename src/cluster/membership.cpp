#include "cluster/membership.h"

#include <algorithm>

#include "antler/base/format.h"
#include "cluster/random_number.h"

namespace antler::cluster {
namespace {

enum class Standing { looks, runs, silent, gone };

const Sight* find(const Outlook& outlook, int64_t place) {
  for (const Sight& sight : outlook.others)
    if (sight.state.rank == place) return &sight;
  return nullptr;
}

/// Null if the process does not answer.
const Presence* presence_of(const Sight& sight) {
  return sight.state.alive ? sight.state.presence.get() : nullptr;
}

bool is_self(const Outlook& outlook, const MemberProcess& member) {
  return member.place() == outlook.place && member.name() == outlook.self.name();
}

bool contains(const GroupDecision& group, int64_t place, const std::string& name) {
  return std::any_of(group.members().begin(), group.members().end(), [&](const MemberProcess& m) {
    return m.place() == place && m.name() == name;
  });
}

bool has_group(const Presence& presence) { return presence.group().generation() > 0; }

/// The standing of a member of this process's last group.
Standing standing(const Outlook& outlook, const MemberProcess& member) {
  if (is_self(outlook, member)) return Standing::looks;
  const Sight* const sight = find(outlook, member.place());
  if (sight == nullptr || sight->state.has_ended) return Standing::gone;
  const Presence* const presence = presence_of(*sight);
  if (presence == nullptr)
    return sight->silent > outlook.patience ? Standing::silent : Standing::runs;
  // Another process has taken its address, or the process has dropped its state.
  if (presence->name() != member.name() || presence->phase() == Presence::JOINING ||
      presence->phase() == Presence::OUTSIDE)
    return Standing::gone;
  const bool same = presence->group().key() == outlook.self.group().key();
  if (presence->phase() == Presence::REGROUPING && same) return Standing::looks;
  // It will notice the loss at its next collective, or while it connects.
  return outlook.seconds > outlook.limit ? Standing::silent : Standing::runs;
}

GroupDecision new_decision(int64_t generation) {
  GroupDecision decision;
  decision.set_generation(generation);
  decision.set_key(format("group-{}-{:016x}", generation, random_number()));
  return decision;
}

void add(GroupDecision& decision, int64_t place, const std::string& name) {
  MemberProcess* const member = decision.add_members();
  member->set_place(place);
  member->set_name(name);
}

/// The first group of the cluster.
std::optional<GroupDecision> decide_first(const Outlook& outlook) {
  for (const Sight& sight : outlook.others) {
    const Presence* const presence = presence_of(sight);
    if (presence == nullptr || presence->phase() != Presence::JOINING ||
        sight.state.rank < outlook.place)
      return std::nullopt;
  }
  GroupDecision decision = new_decision(1);
  add(decision, outlook.place, outlook.self.name());
  for (const Sight& sight : outlook.others)
    add(decision, sight.state.rank, sight.state.presence->name());
  return decision;
}

struct Count {
  int64_t looking = 0;
  int64_t silent = 0;
  bool lowest_looks = false;  ///< the lowest rank of the last group looks for a group
  bool all_known = true;
  bool is_first = false;  ///< this process is the first of those that look
};

Count count(const Outlook& outlook) {
  Count count;
  for (const MemberProcess& member : outlook.self.group().members()) {
    const Standing at = standing(outlook, member);
    if (at == Standing::runs) count.all_known = false;
    if (at != Standing::looks && at != Standing::silent) continue;
    if (count.looking + count.silent == 0) count.lowest_looks = at == Standing::looks;
    if (at == Standing::looks && count.looking == 0) count.is_first = is_self(outlook, member);
    ++(at == Standing::looks ? count.looking : count.silent);
  }
  return count;
}

bool is_enough(const Count& count) {
  return count.looking > count.silent || (count.looking == count.silent && count.lowest_looks);
}

bool member_admits(const Outlook& outlook, const MemberProcess& member) {
  if (is_self(outlook, member)) return outlook.self.admits();
  return find(outlook, member.place())->state.presence->admits();
}

}  // namespace

std::optional<GroupDecision> decision_for(const Outlook& outlook) {
  const bool is_coming_back = outlook.self.phase() == Presence::JOINING && outlook.self.trains();
  const GroupDecision* newest = nullptr;
  const auto consider = [&](const GroupDecision& decision) {
    if (decision.generation() <= outlook.self.group().generation()) return;
    if (!contains(decision, outlook.place, outlook.self.name())) return;
    if (newest == nullptr || decision.generation() > newest->generation()) newest = &decision;
  };
  consider(outlook.self.decision());
  for (const Sight& sight : outlook.others) {
    const Presence* const presence = presence_of(sight);
    if (presence == nullptr) continue;
    consider(presence->decision());
    // A process that comes back to a training is not affected by a group that another one has lost.
    if (presence->phase() != Presence::REGROUPING || !is_coming_back) consider(presence->group());
  }
  if (newest == nullptr) return std::nullopt;
  return *newest;
}

bool has_begun(const Outlook& outlook) {
  return std::any_of(outlook.others.begin(), outlook.others.end(), [&](const Sight& sight) {
    const Presence* const presence = presence_of(sight);
    return presence != nullptr && has_group(*presence) &&
           !contains(presence->group(), outlook.place, outlook.self.name());
  });
}

bool is_left_behind(const Outlook& outlook) {
  return std::any_of(outlook.others.begin(), outlook.others.end(), [&](const Sight& sight) {
    const Presence* const presence = presence_of(sight);
    return presence != nullptr && presence->phase() != Presence::JOINING &&
           presence->group().generation() > outlook.self.group().generation() &&
           !contains(presence->group(), outlook.place, outlook.self.name());
  });
}

bool is_minority(const Outlook& outlook) {
  return has_group(outlook.self) && !is_enough(count(outlook));
}

std::optional<GroupDecision> decide(const Outlook& outlook) {
  const bool is_new = outlook.self.phase() == Presence::JOINING;
  if (is_new) return has_begun(outlook) ? std::nullopt : decide_first(outlook);
  const Count members = count(outlook);
  if (!members.is_first || !members.all_known || !is_enough(members)) return std::nullopt;
  GroupDecision decision = new_decision(outlook.self.group().generation() + 1);
  bool admits = true;
  for (const MemberProcess& member : outlook.self.group().members()) {
    if (standing(outlook, member) != Standing::looks) continue;
    admits = admits && member_admits(outlook, member);
    add(decision, member.place(), member.name());
  }
  if (!admits) return decision;
  // The waiting processes are known once all processes have been asked.
  if (!std::all_of(outlook.others.begin(), outlook.others.end(),
                   [](const Sight& sight) { return sight.is_fresh; }))
    return std::nullopt;
  for (const Sight& sight : outlook.others) {
    const Presence* const presence = presence_of(sight);
    if (presence != nullptr && presence->phase() == Presence::JOINING &&
        presence->training() == outlook.self.training())
      add(decision, sight.state.rank, presence->name());
  }
  return decision;
}

std::optional<LostMember> lost_member(const Outlook& outlook, const GroupDecision& group,
                                      bool is_connected) {
  for (const MemberProcess& member : group.members()) {
    const Sight* const sight = find(outlook, member.place());
    if (sight == nullptr) continue;  // this process
    const auto lost = [&](const char* reason) { return LostMember{member.place(), reason}; };
    const Presence* const presence = presence_of(*sight);
    if (presence == nullptr) {
      if (sight->state.has_ended && !is_connected) return lost("has ended");
      if (sight->silent > outlook.patience) return lost("does not answer");
      continue;
    }
    if (presence->name() != member.name()) return lost("has ended, and another process began");
    if (is_connected) continue;
    const bool has_failed =
        presence->phase() == Presence::REGROUPING && presence->group().key() == group.key();
    if (has_failed || presence->phase() == Presence::OUTSIDE ||
        presence->group().generation() > group.generation())
      return lost("has given up on this group");
  }
  return std::nullopt;
}

}  // namespace antler::cluster
