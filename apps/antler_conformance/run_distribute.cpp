// Calls of fit(), training loops and tables of calls under distribution strategies.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/autodiff/gradient_tape.h"
#include "antler/data/dataset.h"
#include "antler/distribute/distributed_dataset.h"
#include "antler/distribute/losses.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/nn/optimizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "cluster_strategies.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

using distribute::PerReplica;
using distribute::Strategy;

distribute::UnevenBatches weighting(const Json& json) {
  return json.value("weighting", "exact") == "tensorflow" ? distribute::UnevenBatches::tensorflow
                                                          : distribute::UnevenBatches::exact;
}

data::AutoShardPolicy policy_of(const std::string& name) {
  if (name == "DATA") return data::AutoShardPolicy::data;
  if (name == "OFF") return data::AutoShardPolicy::off;
  throw Unsupported{format("sharding of arrays by the policy '{}'", name)};
}

/// Nested lists of numbers as a tensor.
Tensor tensor_of(const Json& json) {
  std::vector<int64_t> sizes;
  for (const Json* at = &json; at->is_array(); at = &at->at(0))
    sizes.push_back(static_cast<int64_t>(at->size()));
  std::vector<float> numbers;
  const auto collect = [&](const auto& self, const Json& part) -> void {
    if (!part.is_array()) return numbers.push_back(static_cast<float>(number(part)));
    for (const Json& item : part) self(self, item);
  };
  collect(collect, json);
  return Tensor::of(numbers, Shape(sizes));
}

/// A tensor as nested lists of numbers.
Json lists_of(const Tensor& t) {
  const std::vector<double> numbers = t.to_doubles();
  size_t next = 0;
  const auto build = [&](const auto& self, int axis) -> Json {
    if (axis == t.rank()) return numbers[next++];
    Json list = Json::array();
    for (int64_t i = 0; i < t.dim(axis); ++i) list.push_back(self(self, axis + 1));
    return list;
  };
  return build(build, 0);
}

Json parts_of(const PerReplica& values) {
  Json parts = Json::array();
  for (const Nest& part : values)
    parts.push_back(part.is_none() ? Json::array() : lists_of(part.tensor()));
  return parts;
}

VariableSynchronization synchronization_of(const std::string& name) {
  if (name == "ON_READ") return VariableSynchronization::on_read;
  if (name == "ON_WRITE") return VariableSynchronization::on_write;
  return name == "NONE" ? VariableSynchronization::none : VariableSynchronization::automatic;
}

VariableAggregation aggregation_of(const std::string& name) {
  if (name == "SUM") return VariableAggregation::sum;
  if (name == "MEAN") return VariableAggregation::mean;
  return name == "NONE" ? VariableAggregation::none : VariableAggregation::only_first_replica;
}

void change(const Variable& variable, const std::string& op, const Tensor& value) {
  if (op == "assign") {
    variable.assign(value);
  } else if (op == "assign_add") {
    variable.assign_add(value);
  } else {
    variable.assign_sub(value);
  }
}

/// Replicas assign or add 1, 2, ...; code outside of replicas assigns or adds 6.
Json variable_row(const Strategy& strategy, const Json& row) {
  const Variable v(
      Tensor::full(DType::float32, {}, number(row.at("initial"))),
      {.name = "v",
       .trainable = false,
       .synchronization = synchronization_of(row.at("synchronization").get<std::string>()),
       .aggregation = aggregation_of(row.at("aggregation").get<std::string>())});
  const std::string op = row.at("op").get<std::string>();
  const PerReplica numbers = strategy.experimental_distribute_values_from_function(
      [](const distribute::ValueContext& context) -> Nest {
        return Tensor::full(DType::float32, {},
                            static_cast<double>(context.replica_id_in_sync_group + 1));
      });
  if (row.at("where") == "replica") {
    strategy.run(
        [&](const Nest& value) {
          change(v, op, value.tensor());
          return value;
        },
        numbers);
  } else {
    change(v, op, Tensor::full(DType::float32, {}, 6));
  }
  const PerReplica copies = strategy.run([&](const Nest&) -> Nest { return v.value(); }, numbers);
  return {{"copies", parts_of(copies)}, {"read", v.value().item()}};
}

Json split_row(const Strategy& strategy, const Json& row) {
  const auto batches =
      data::Dataset::range(row.at("rows").get<int64_t>()).batch(row.at("batch").get<int64_t>());
  Json steps = Json::array();
  for (const PerReplica& parts : strategy.experimental_distribute_dataset(batches))
    steps.push_back(parts_of(parts));
  return {{"parts", steps}};
}

Json value_row(const Strategy& strategy, const Json& row) {
  const std::string what = row.at("what").get<std::string>();
  if (what == "split") return split_row(strategy, row);
  std::optional<int64_t> axis;
  if (!row.at("axis").is_null()) axis = row.at("axis").get<int64_t>();
  if (row.contains("value")) {
    return {{"result", lists_of(strategy.reduce(row.at("op").get<std::string>(),
                                                Nest(tensor_of(row["value"])), axis))}};
  }
  PerReplica values;
  for (const Json& value : row.at("values")) values.emplace_back(tensor_of(value));
  const Nest result = what == "gather"
                          ? strategy.gather(values, axis.value_or(0))
                          : strategy.reduce(row.at("op").get<std::string>(), values, axis);
  return {{"result", lists_of(result)}};
}

/// The result of a call, or the Python name of its error's class.
template <class F>
Json or_error(const F& function) {
  try {
    return function();
  } catch (const ValueError&) {
    return {{"error", "ValueError"}};
  } catch (const TypeError&) {
    return {{"error", "TypeError"}};
  }
}

void run_table(const GoldenCase& golden, const Strategy& strategy, Check& check) {
  const Json& rows = golden.json.at("rows");
  const bool variables = golden.json.at("table") == "variables";
  for (size_t i = 0; i < rows.size(); ++i) {
    const Json got = or_error(
        [&] { return variables ? variable_row(strategy, rows[i]) : value_row(strategy, rows[i]); });
    check.json(format("row {} {}", i, rows[i].dump()), got, golden.expectation().at("rows").at(i));
  }
}

/// A linear model under Strategy::run, like the function `write_loop` of strategy_cases.py.
void run_loop(const GoldenCase& golden, const Strategy& strategy, Check& check) {
  const Json& loop = golden.json.at("loop");
  const Variable kernel(golden.array("kernel"), {.name = "kernel"});
  optimizers::SGD optimizer(
      {.learning_rate = number(loop.at("learning_rate")), .momentum = number(loop.at("momentum"))});
  const auto batch = loop.at("batch_size").get<int64_t>();
  const auto step = [&](const Nest& part) -> Nest {
    GradientTape tape;
    const Tensor prediction = ops::matmul(part[0].tensor(), kernel.value());
    const Tensor errors = ops::sum(ops::square(prediction - part[1].tensor()), {1});
    const Tensor penalty = ops::sum(ops::square(kernel.value())) * number(loop.at("penalty"));
    const Tensor loss = distribute::compute_average_loss(errors, {}, batch) +
                        distribute::scale_regularization_loss(penalty);
    optimizer.apply_gradients({{tape.gradient(loss, kernel), kernel}});
    return loss;
  };
  const auto data =
      data::Dataset::from_tensor_slices({golden.array("x"), golden.array("y")}).batch(batch);
  Json losses = Json::array();
  for (int64_t epoch = 0; epoch < loop.at("epochs").get<int64_t>(); ++epoch) {
    for (const PerReplica& parts : strategy.experimental_distribute_dataset(data))
      losses.push_back(strategy.reduce("SUM", strategy.run(step, parts)).tensor().item());
  }
  check.json("losses", losses, golden.expectation().at("losses"));
  check.array("final_kernel", kernel.stored());
}

void run_under(const Strategy& strategy, const FitSettings& settings, const GoldenCase& golden,
               Check& check) {
  const auto scope = strategy.scope();
  if (golden.json.contains("table")) {
    run_table(golden, strategy, check);
  } else if (golden.json.contains("loop")) {
    run_loop(golden, strategy, check);
  } else {
    run_fit(golden, check, settings);
  }
}

/// Every worker runs the case.
void run_as_worker(const Json& json, const GoldenCase& golden, Check& check) {
  FitSettings settings{.workers = json.at("workers").get<int64_t>()};
  if (json.contains("auto_shard"))
    settings.auto_shard = policy_of(json["auto_shard"].get<std::string>());
  const Strategy strategy = worker_strategy(json, weighting(golden.json));
  Check unused(golden);
  run_under(strategy, settings, golden, is_chief() ? check : unused);
}

}  // namespace

void run_distribute(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json.at("strategy");
  const std::string name = json.at("class").get<std::string>();
  if (name == "MirroredStrategy") {
    run_under(distribute::MirroredStrategy(json.at("replicas").get<int64_t>(),
                                           {.uneven_batches = weighting(golden.json)}),
              {}, golden, check);
  } else if (name == "ParameterServerStrategy") {
    const ClusterStrategy made = parameter_server_strategy(json);
    run_under(made.strategy, {.epoch_hooks_only = true, .placement = made.placement}, golden,
              check);
  } else if (name != "MultiWorkerMirroredStrategy") {
    throw Unsupported{format("the strategy '{}'", name)};
  } else if (is_worker()) {
    run_as_worker(json, golden, check);
  } else {
    run_in_workers(golden, json.at("workers").get<int64_t>(), check);
  }
}

}  // namespace antler::conformance
