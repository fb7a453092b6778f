#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

/// A program runs on one device, so its only replica has everything.
Values lower_for_one_replica(const LowerArgs& args) {
  if (args.attrs().integer("replicas") != 1)
    throw Unsupported{"several replicas in one program have no lowering to StableHLO"};
  return {args[0]};
}

constexpr Rule kCollectiveRules[] = {
    {"all_reduce", lower_for_one_replica},
    {"all_gather", lower_for_one_replica},
    {"reduce_scatter", lower_for_one_replica},
};

}  // namespace

Rules collective_rules() { return kCollectiveRules; }

}  // namespace antler::pjrt
