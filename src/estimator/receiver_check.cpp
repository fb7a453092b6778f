#include <set>

#include "antler/base/error.h"
#include "antler/estimator/serving.h"

namespace antler::estimator {

void check_receiver(const ServingInputReceiver& receiver) {
  if (!receiver.features && !receiver.parses) throw ValueError("features must be defined.");
  if (receiver.receiver_tensors.empty()) throw ValueError("receiver_tensors must be defined.");
  std::set<std::string> names;
  for (const auto& [name, placeholder] : receiver.receiver_tensors) {
    if (!names.insert(name).second) {
      throw ValueError("Two receiver tensors have the name '{}'.", name);
    }
  }
  if (receiver.is_unnamed && receiver.receiver_tensors.size() != 1) {
    throw ValueError("A receiver without a name has one tensor. Received: {}.",
                     receiver.receiver_tensors.size());
  }
}

}  // namespace antler::estimator
