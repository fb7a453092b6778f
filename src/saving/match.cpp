#include "saving/match.h"

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ops/core.h"
#include "base/strings.h"

namespace antler::saving {
namespace {

/// Whether Keras saved the optimizer before its first step: only the iterations, which are 0, and
/// the learning rate.
bool made_no_step(const Tensors& arrays) {
  return !arrays.empty() && arrays.size() <= 2 && is_integer(arrays[0].dtype()) &&
         arrays[0].size() == 1 && arrays[0].item() == 0;
}

}  // namespace

Changes match(const std::string& what, const Variables& own, const Tensors& arrays) {
  if (own.size() != arrays.size()) {
    throw ValueError("{} expected {} variables [{}], but received {} variables during loading.",
                     what, own.size(),
                     join(own, ", ", [](const Variable& v) { return format("'{}'", v.name()); }),
                     arrays.size());
  }
  Changes changes;
  for (size_t i = 0; i < own.size(); ++i) {
    if (!(own[i].shape() == arrays[i].shape())) {
      throw ValueError("{}: the shape of variable '{}' is {}, but received {} during loading.",
                       what, own[i].name(), own[i].shape(), arrays[i].shape());
    }
    const DType dtype = own[i].dtype();
    changes.emplace_back(own[i],
                         arrays[i].dtype() == dtype ? arrays[i] : ops::cast(arrays[i], dtype));
  }
  return changes;
}

Changes match_some(const std::string& what, const Variables& own, const Tensors& arrays) {
  Changes changes;
  if (own.size() != arrays.size()) {
    logging::warning(
        format("{} keeps its {} variables, the file has {}.", what, own.size(), arrays.size()));
    return changes;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    try {
      changes.push_back(match(what, {own[i]}, {arrays[i]}).front());
    } catch (const ValueError& error) {
      logging::warning(format("A variable keeps its value. {}", error.what()));
    }
  }
  return changes;
}

void store(const Changes& changes) {
  for (const auto& [variable, value] : changes) variable.store(value);
}

void load_optimizer_state(Optimizer& optimizer, const Tensors& arrays) {
  Variables own = optimizer.variables();
  // Files of Keras 2 lack the learning rate, the second variable.
  if (!optimizer.has_schedule() && arrays.size() + 1 == own.size()) own.erase(own.begin() + 1);
  if (made_no_step(arrays) && arrays.size() < own.size()) own.resize(arrays.size());
  try {
    store(match(format("Optimizer '{}'", optimizer.name()), own, arrays));
  } catch (const ValueError& error) {
    logging::warning(format("The state of the optimizer is not loaded. {}", error.what()));
  }
}

}  // namespace antler::saving
