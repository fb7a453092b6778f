#include "distribute/sharded_strategy.h"

#include <string>
#include <vector>

#include "antler/distribute/distribution.h"
#include "ops/core/shards.h"

namespace antler::distribute {

void ShardedStrategy::place(const Variable& variable) const {
  const auto layout = layouts_.get(variable.path());
  if (layout) distribution::distribute_variable(variable, *layout);
}

Tensor ShardedStrategy::place_output(const std::string& path, const Tensor& output) const {
  const auto layout = layouts_.get(path);
  return layout ? divided(output, *layout, "Tensor `" + path + "`", batch_axis_) : output;
}

Tensor divided(const Tensor& x, const distribution::TensorLayout& layout, const std::string& what,
               const std::string& batch_axis) {
  Sharding sharding = distribution::sharding_of(layout, what, x.shape());
  std::erase_if(sharding, [&](const ShardedDimension& d) { return d.mesh_axis == batch_axis; });
  check_sharding(what, x.shape(), sharding);
  if (sharding.empty() || !x.is_traced()) return x;
  Tensor result = ops::join_shards(ops::split_shards(x, sharding), sharding);
  result.impl()->annotation = x.impl()->annotation;  // keeps its mask
  return result;
}

}  // namespace antler::distribute
