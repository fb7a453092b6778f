#include "ops/core/shards.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "ops/movement_ops.h"

namespace antler::ops {
namespace {

class Shards final : public VariableShards {
 public:
  Tensor traced_value() const override {
    const ReadObserverSuspension hidden;  // the read is one of the whole variable
    Tensors values;
    for (const Variable& part : parts) values.push_back(part.value());
    return join_shards(values, sharding);
  }
  void assign_traced(const Tensor& value) const override {
    const Tensors values = split_shards(value, sharding);
    for (size_t i = 0; i < values.size(); ++i) parts[i].assign(values[i]);
  }
};

/// `beside`: the variables next to which the parts are stored, or null.
void divide_beside(const Variable& variable, const Sharding& sharding, const Variables* beside) {
  if (sharding.empty()) return;
  const std::string what = "Variable `" + variable.path() + "`";
  if (variable.shards() != nullptr) throw ValueError("{} is divided already.", what);
  check_sharding(what, variable.shape(), sharding);
  const auto shards = std::make_shared<Shards>();
  shards->sharding = sharding;
  const VariableOriginScope same_origin(variable_origin(variable));
  for (const Tensor& part : parts_of_value(variable.stored(), sharding)) {
    const size_t i = shards->parts.size();
    std::optional<ColocateVariables> colocated;
    if (beside != nullptr) colocated.emplace((*beside)[i]);
    shards->parts.emplace_back(part, VariableOptions{.name = variable.name(),
                                                     .trainable = variable.trainable(),
                                                     .synchronization = variable.synchronization(),
                                                     .aggregation = variable.aggregation()});
  }
  variable.set_shards(shards);
  Variable(variable).set_path(variable.path());  // also sets the paths of the parts
}

}  // namespace

void divide(const Variable& variable, const Sharding& sharding) {
  divide_beside(variable, sharding, nullptr);
}

void divide_like(const Variable& variable, const Variable& reference) {
  if (reference.shards() == nullptr || variable.shape() != reference.shape()) return;
  divide_beside(variable, reference.shards()->sharding, &reference.shards()->parts);
}

Tensors split_shards(const Tensor& x, const Sharding& sharding) {
  Tensors parts = {x};
  for (const auto& [dimension, count, mesh_axis] : sharding) {
    Tensors finer;
    for (const Tensor& part : parts) {
      for (int64_t i = 0; i < count; ++i) {
        const PartRange range = part_range(part.shape()[dimension], count, i);
        if (mesh_axis.empty()) {
          finer.push_back(slice_axis(part, dimension, range.begin, range.end));
          continue;
        }
        ir::Ints starts(static_cast<size_t>(part.rank()), 0);
        ir::Ints limits = part.shape().dims();
        starts[static_cast<size_t>(dimension)] = range.begin;
        limits[static_cast<size_t>(dimension)] = range.end;
        finer.push_back(ir::emit_one(kSlice, {part},
                                     {{"starts", starts},
                                      {"limits", limits},
                                      {"strides", ir::Ints(starts.size(), 1)},
                                      {"mesh_axis", mesh_axis},
                                      {"axis", static_cast<int64_t>(dimension)},
                                      {"parts", count}}));
      }
    }
    parts = std::move(finer);
  }
  return parts;
}

Tensor join_shards(const Tensors& parts, const Sharding& sharding) {
  Tensors joined = parts;
  for (size_t k = sharding.size(); k-- > 0;) {
    const auto& [dimension, count, mesh_axis] = sharding[k];
    const auto step = static_cast<std::ptrdiff_t>(count);
    Tensors coarser;
    for (auto at = joined.begin(); at != joined.end(); at += step) {
      ir::Attrs attrs = {{"axis", static_cast<int64_t>(dimension)}};
      if (!mesh_axis.empty()) attrs.set("mesh_axis", mesh_axis);
      coarser.push_back(ir::emit_one(kConcatenate, Tensors(at, at + step), attrs));
    }
    joined = std::move(coarser);
  }
  return joined[0];
}

}  // namespace antler::ops
