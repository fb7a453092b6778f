#include "distribute/sharded_strategy.h"

#include <string>

#include "ops/core/shards.h"

namespace antler::distribute {

void ShardedStrategy::place(const Variable& variable) const {
  const auto layout = layouts_.get(variable.path());
  if (!layout) return;
  const std::string what = "Variable `" + variable.path() + "`";
  ops::divide(variable, distribution::sharding_of(*layout, what, variable.shape()));
}

}  // namespace antler::distribute
