#include "cluster/rendezvous.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "antler/base/logging.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/strings.h"

namespace antler::cluster {
namespace {

/// Seconds between two polls of the store, and between two warnings.
constexpr double kLook = 1;
constexpr double kWarn = 10;

/// A new name for each process and each group that it joins.
std::string new_name() {
  std::random_device random;
  return format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string member_key(int64_t rank) { return format("member/{}", rank); }

/// A process that is joining a group.
class Joining {
 public:
  Joining(Store& store, const Members& members, std::optional<double> seconds)
      : store_(store),
        members_(members),
        start_(steady_seconds()),
        end_(seconds ? start_ + *seconds : std::numeric_limits<double>::infinity()) {}

  std::string run() {
    for (;;) {
      try {
        if (const auto group = look()) return *group;
      } catch (const DeadlineExceededError&) {
        report(members_.name(0));
      } catch (const UnavailableError&) {
        report(members_.name(0));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      if (steady_seconds() > end_) {
        throw DeadlineExceededError("{} waited {:.0f} seconds for {}.",
                                    members_.name(members_.rank), end_ - start_, missing_);
      }
    }
  }

 private:
  /// The group, if it is complete and includes this process.
  std::optional<std::string> look() {
    store_.set(member_key(members_.rank), name_, kLook);
    if (members_.rank == 0) {
      std::vector<std::string> names;
      std::vector<std::string> absent;
      for (int64_t rank = 0; rank < members_.size(); ++rank) {
        if (const auto name = store_.get(member_key(rank), 0))
          names.push_back(*name);
        else
          absent.push_back(members_.name(rank));
      }
      if (absent.empty()) {
        store_.set("group", join(names, "\n"), kLook);
      } else {
        report(join(absent));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return std::nullopt;
      }
    }
    const auto group = store_.get("group", kLook);
    if (!group) {
      report_absent();
      return std::nullopt;
    }
    if (in_group(*group)) return sha256(*group);
    // The group started before this process did.
    report(format("the group that runs without {} to end", members_.name(members_.rank)));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return std::nullopt;
  }

  bool in_group(std::string_view group) const {
    for (int64_t rank = 0; rank < members_.rank; ++rank)
      group.remove_prefix(std::min(group.find('\n'), group.size() - 1) + 1);
    return group.substr(0, group.find('\n')) == name_;
  }

  void report_absent() {
    std::vector<std::string> absent;
    for (int64_t rank = 0; rank < members_.size(); ++rank) {
      if (!store_.get(member_key(rank), 0)) absent.push_back(members_.name(rank));
    }
    report(absent.empty() ? members_.name(0) : join(absent));
  }

  void report(const std::string& missing) {
    missing_ = missing;
    const double now = steady_seconds();
    if (now - warned_ < kWarn) return;
    warned_ = now;
    logging::warning(format("cluster: {} waits for {}", members_.name(members_.rank), missing));
  }

  Store& store_;
  const Members& members_;
  const std::string name_ = new_name();
  const double start_;
  const double end_;
  double warned_ = start_;
  std::string missing_;
};

}  // namespace

std::string join_group(Store& store, const Members& members, std::optional<double> seconds) {
  return Joining(store, members, seconds).run();
}

}  // namespace antler::cluster
