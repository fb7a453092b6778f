#include "cluster/group_search.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cluster/random_number.h"
#include "ops/elastic_group.h"

namespace antler::cluster {
namespace {

/// Time limit in seconds for the answer of another process.
constexpr double kAnswer = 1;
/// Seconds between two questions to another process. During a search: the first number per process
/// of the cluster, but at least the second one. While a group runs: the third.
constexpr double kPausePerProcess = 0.0025;
constexpr double kLeastPause = 0.02;
constexpr double kPauseOfRunning = 0.5;
constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
/// Seconds between two warnings.
constexpr double kBetweenWarnings = 10;
/// Time limit in seconds for a connection between two members.
constexpr double kConnect = 5;

double patience_of(const GlooOptions& options) { return options.timeout / 2; }

}  // namespace

GroupSearch::GroupSearch(const GlooOptions& options)
    : all_(make_members(options)),
      options_(options),
      server_(std::make_shared<StoreServer>(all_)),
      monitor_(std::make_shared<PeerMonitor>(all_, std::min(kAnswer, options.timeout / 4))) {
  presence_.set_name(format("{:016x}", random_number()));
  presence_.set_phase(Presence::JOINING);
}

bool GroupSearch::somebody_waits() const {
  const std::vector<Sight> others = monitor_->look(settled_);
  return std::any_of(others.begin(), others.end(), [&](const Sight& sight) {
    const Presence* const presence = sight.state.presence.get();
    return presence != nullptr && presence->phase() == Presence::JOINING &&
           presence->training() == presence_.training();
  });
}

void GroupSearch::begin(Reason reason, std::optional<double> limit) {
  reason_ = reason;
  start_limit_ = limit;
  began_ = failed_ = warned_ = steady_seconds();
  has_seen_training_ = false;
  if (presence_.phase() != Presence::JOINING) presence_.set_phase(Presence::REGROUPING);
  monitor_->set_pause(std::max(kLeastPause, kPausePerProcess * static_cast<double>(all_.size())));
}

std::shared_ptr<ops::Communicator> GroupSearch::next() {
  try {
    return search();
  } catch (...) {
    monitor_->set_pause(kPauseOfRunning);
    throw;
  }
}

std::shared_ptr<ops::Communicator> GroupSearch::search() {
  for (;;) {
    publish();
    const Outlook outlook = look();
    if (const auto decision = decision_for(outlook)) {
      if (auto group = connect(*decision)) return group;
      continue;
    }
    const Presence::Phase phase = presence_.phase();
    if (phase == Presence::REGROUPING && is_left_behind(outlook)) {
      const bool is_start = reason_ == Reason::start;
      if (!is_start && !presence_.trains())
        throw UnavailableError("The other workers have continued without {}.", name());
      logging::warning(format("cluster: {} was left behind", name()));
      presence_.set_phase(Presence::JOINING);
      presence_.clear_group();
      presence_.clear_decision();
      if (is_start) continue;
      throw LeftBehind();
    }
    if (phase == Presence::JOINING && reason_ == Reason::start && take_seeds(outlook))
      throw HasBegun();
    if (const auto decision = decide(outlook)) {
      *presence_.mutable_decision() = *decision;
      continue;
    }
    check_time(outlook);
    if (phase == Presence::JOINING && reason_ != Reason::start) check_training(outlook);
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void GroupSearch::settle() {
  *is_settled_ = true;
  settled_ = steady_seconds();
  presence_.set_phase(Presence::RUNNING);
  publish();
  monitor_->set_pause(kPauseOfRunning);
  logging::warning(format("cluster: {} is in group {} of {} workers", name(),
                          presence_.group().generation(), presence_.group().members_size()));
}

void GroupSearch::give_up(const Error& error) {
  logging::warning(format("cluster: group {} could not be formed: {}",
                          presence_.group().generation(), error.what()));
  presence_.set_phase(Presence::REGROUPING);
  publish();
  failed_ = steady_seconds();
}

Outlook GroupSearch::look() const {
  return {.place = all_.rank,
          .self = presence_,
          .others = monitor_->look(failed_),
          .seconds = steady_seconds() - failed_,
          .patience = patience_of(options_),
          .limit = reason_ == Reason::late_loss ? patience_of(options_) : options_.timeout};
}

bool GroupSearch::take_seeds(const Outlook& outlook) {
  if (!has_begun(outlook)) return false;
  for (const Sight& sight : outlook.others) {
    if (sight.state.presence == nullptr || sight.state.presence->seeds().empty()) continue;
    presence_.set_seeds(sight.state.presence->seeds());
    return true;
  }
  return false;
}

std::shared_ptr<ops::Communicator> GroupSearch::connect(const GroupDecision& decision) {
  *presence_.mutable_group() = decision;
  presence_.clear_decision();
  presence_.set_phase(Presence::CONNECTING);
  publish();
  server_->set_failure("");
  Members members = all_;
  members.addresses.clear();
  members.names.clear();
  for (const MemberProcess& member : decision.members()) {
    if (member.place() == all_.rank) members.rank = members.size();
    members.addresses.push_back(all_.addresses.at(static_cast<size_t>(member.place())));
    members.names.push_back(format("worker {}", member.place()));
  }
  is_settled_ = std::make_shared<std::atomic<bool>>(false);
  // The group's thread calls it, even while this object continues to work.
  const auto lost = [since = steady_seconds(), decision, all = all_, monitor = monitor_,
                     is_settled = is_settled_, patience = patience_of(options_)]() -> std::string {
    const Outlook outlook{
        .place = all.rank, .self = {}, .others = monitor->look(since), .patience = patience};
    const auto member = lost_member(outlook, decision, *is_settled);
    return member ? format("{} {}", all.name(member->place), member->reason) : "";
  };
  try {
    return connector_.connect(members,
                              {.timeout = options_.timeout,
                               .connect_timeout = std::min(options_.timeout, kConnect),
                               .lost = lost,
                               .health = {.interval = 0},
                               .shared_memory = options_.shared_memory,
                               .ask_time = 0},
                              server_, decision.key());
  } catch (const UnavailableError& error) {
    give_up(error);
  } catch (const DeadlineExceededError& error) {
    give_up(error);
  }
  return nullptr;
}

void GroupSearch::check_time(const Outlook& outlook) {
  const double seconds = steady_seconds() - began_;
  if (start_limit_ && seconds > *start_limit_) {
    throw DeadlineExceededError("{} waited {:.0f} seconds for {}.", name(), *start_limit_,
                                missing(outlook));
  }
  if (is_minority(outlook) && outlook.seconds > options_.timeout) {
    throw UnavailableError("{} cannot reach {}, which may continue without it.", name(),
                           missing(outlook));
  }
  if (steady_seconds() - warned_ < kBetweenWarnings) return;
  warned_ = steady_seconds();
  const std::string missing_ones = missing(outlook);
  logging::warning(format("cluster: {} waits for {}", name(),
                          missing_ones.empty() ? "the others to let it in" : missing_ones));
}

/// Throws if there is no training to join (any more).
void GroupSearch::check_training(const Outlook& outlook) {
  bool may_run = false;
  for (const Sight& sight : outlook.others) {
    const Presence* const presence = sight.state.presence.get();
    if (presence == nullptr) {
      may_run |= !sight.state.has_ended && sight.silent <= outlook.patience;
      continue;
    }
    if (presence->group().generation() == 0) continue;
    if (presence->training() > presence_.training())
      throw ops::TrainingIsOver("{} joined too late: the training has ended.", name());
    has_seen_training_ = true;
    may_run = true;
  }
  if (has_seen_training_ && !may_run)
    throw UnavailableError("The training that {} waited for has ended.", name());
}

std::string GroupSearch::missing(const Outlook& outlook) const {
  std::vector<std::string> names;
  for (const Sight& sight : outlook.others)
    if (!sight.state.alive) names.push_back(all_.name(sight.state.rank));
  return join(names);
}

}  // namespace antler::cluster
