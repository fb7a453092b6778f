#include "antler/distribute/one_device_strategy.h"

#include "distribute/devices.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {
namespace {

class OneDeviceImpl final : public StrategyImpl {
 public:
  int64_t replicas() const override { return 1; }
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions&) const override {
    const ReplicaContextScope scope({});
    return {function(arguments[0])};
  }
};

}  // namespace

OneDeviceStrategy::OneDeviceStrategy(const std::string& device)
    : Strategy(std::make_shared<const OneDeviceImpl>()) {
  distinct_devices("OneDeviceStrategy", {device});
}

}  // namespace antler::distribute
