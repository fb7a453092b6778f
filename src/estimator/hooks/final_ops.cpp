#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"

namespace antler::estimator {

FinalOpsHook::FinalOpsHook(LoggedTensors final_ops) : final_ops_(std::move(final_ops)) {}

void FinalOpsHook::end(Session& session) {
  std::vector<Fetch> fetches;
  for (const auto& [name, fetch] : final_ops_) fetches.push_back(fetch);
  try {
    const std::vector<Tensor> values = session.run(fetches);
    values_.clear();
    for (size_t i = 0; i < values.size(); ++i) values_.emplace_back(final_ops_[i].first, values[i]);
  } catch (const OutOfRangeError&) {
    logging::warning(
        "An OutOfRangeError or StopIteration exception is raised by the code in FinalOpsHook. This "
        "typically means the Ops running by the FinalOpsHook have a dependency back to some input "
        "source, which should not happen.");
    throw;
  }
}

}  // namespace antler::estimator
