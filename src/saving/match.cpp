#include "saving/match.h"

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ops/core.h"

namespace antler::saving {
namespace {

std::string names_of(const Variables& variables) {
  std::string names;
  for (const Variable& v : variables) names += (names.empty() ? "'" : ", '") + v.name() + "'";
  return "[" + names + "]";
}

/// Whether this is all that Keras saves of an optimizer before its first step: that no step was
/// made, and the learning rate.
bool made_no_step(const Tensors& arrays) {
  return !arrays.empty() && arrays.size() <= 2 && is_integer(arrays[0].dtype()) &&
         arrays[0].size() == 1 && arrays[0].item() == 0;
}

}  // namespace

Changes match(const std::string& what, const Variables& own, const Tensors& arrays) {
  if (own.size() != arrays.size()) {
    throw ValueError(what + " expected " + std::to_string(own.size()) + " variables " +
                     names_of(own) + ", but received " + std::to_string(arrays.size()) +
                     " variables during loading.");
  }
  Changes changes;
  for (size_t i = 0; i < own.size(); ++i) {
    if (!(own[i].shape() == arrays[i].shape())) {
      throw ValueError(what + ": the shape of variable '" + own[i].name() + "' is " +
                       own[i].shape().str() + ", but received " + arrays[i].shape().str() +
                       " during loading.");
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
    logging::warning(what + " keeps its " + std::to_string(own.size()) +
                     " variables, the file has " + std::to_string(arrays.size()) + ".");
    return changes;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    try {
      changes.push_back(match(what, {own[i]}, {arrays[i]}).front());
    } catch (const ValueError& error) {
      logging::warning(std::string("A variable keeps its value. ") + error.what());
    }
  }
  return changes;
}

void store(const Changes& changes) {
  for (const auto& [variable, value] : changes) variable.store(value);
}

void load_optimizer_state(Optimizer& optimizer, const Tensors& arrays) {
  Variables own = optimizer.variables();
  // Files of Keras 2 do not have the learning rate, which stands second.
  if (!optimizer.has_schedule() && arrays.size() + 1 == own.size()) own.erase(own.begin() + 1);
  if (made_no_step(arrays) && arrays.size() < own.size()) own.resize(arrays.size());
  try {
    store(match("Optimizer '" + optimizer.name() + "'", own, arrays));
  } catch (const ValueError& error) {
    logging::warning(std::string("The state of the optimizer is not loaded. ") + error.what());
  }
}

}  // namespace antler::saving
