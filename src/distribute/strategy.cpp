#include "antler/distribute/strategy.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/data/sharding.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/worker_collectives.h"
#include "base/ceil_div.h"
#include "distribute/strategy_impl.h"
#include "distribute/worker_batch.h"
#include "distribute/worker_gather.h"

namespace antler::distribute {
namespace {

thread_local std::optional<Strategy> t_strategy;
thread_local int64_t t_scopes = 0;

class DefaultStrategy final : public StrategyImpl {
 public:
  int64_t replicas() const override { return 1; }
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions&) const override {
    return {function(arguments[0])};
  }
};

bool has_rows(const Nest& batch) {
  const Tensors leaves = batch.flatten();
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const Tensor& leaf) { return leaf.defined() && leaf.rank() > 0; });
}

/// The results of the replicas that ran.
PerReplica present(const PerReplica& values) {
  PerReplica result;
  for (const Nest& value : values) {
    if (!value.is_none()) result.push_back(value);
  }
  return result;
}

/// Combines values leaf by leaf.
Nest zip(const PerReplica& values, const std::function<Tensor(const Tensors&)>& combine) {
  if (values.empty()) return {};
  std::vector<Tensors> leaves;
  for (const Nest& value : values) {
    leaves.push_back(value.flatten());
    if (leaves.back().size() == leaves[0].size()) continue;
    throw ValueError(
        "The values of all replicas must have the same structure. Received: {} and {}.",
        values[0].structure(), value.structure());
  }
  Tensors combined;
  for (size_t i = 0; i < leaves[0].size(); ++i) {
    Tensors column;
    for (const Tensors& row : leaves) column.push_back(row.at(i));
    combined.push_back(column[0].defined() ? combine(column) : Tensor());
  }
  return values[0].pack(combined);
}

Tensor sum_of(const Tensors& column) {
  Tensor total = column[0];
  for (size_t i = 1; i < column.size(); ++i) {
    if (column[i].shape() != column[0].shape()) {
      throw ValueError(
          "Combined values of replicas must have the same shape. Received shapes {} and {}.",
          column[0].shape(), column[i].shape());
    }
    total = ops::add(total, column[i]);
  }
  return total;
}

/// Rows of all replicas; scalars are stacked.
Tensor joined(const Tensors& column) {
  if (column.size() == 1 && column[0].rank() > 0) return column[0];
  Tensors parts = column;
  for (Tensor& part : parts) {
    if (part.rank() == 0) part = ops::expand_dims(part, 0);
  }
  return ops::concatenate(parts, 0);
}

void check_reduce_op(ReduceOp op) {
  if (op == ReduceOp::sum || op == ReduceOp::mean) return;
  throw TypeError("Values of replicas can be reduced by \"SUM\" or \"MEAN\" only.");
}

void check_axis(const char* what, const Tensor& t, int64_t axis) {
  if (axis >= -t.rank() && axis < t.rank()) return;
  throw ValueError("Strategy.{}: axis {} is out of range for a value of shape {}.", what, axis,
                   t.shape());
}

/// A sum over some of the replicas, and the number of values added per element.
struct Partial {
  Tensor total;
  double entries = 0;
};

Partial partial(const Tensors& column, std::optional<int64_t> axis) {
  if (!axis) return {sum_of(column), static_cast<double>(column.size())};
  Tensors sums;
  double entries = 0;
  for (const Tensor& t : column) {
    check_axis("reduce", t, *axis);
    sums.push_back(ops::sum(t, {*axis}));
    entries += static_cast<double>(t.dim(static_cast<int>(*axis)));
  }
  return {sum_of(sums), entries};
}

/// Reduces values without communicating with other workers.
Nest reduce_here(ReduceOp op, const PerReplica& values, std::optional<int64_t> axis) {
  return zip(present(values), [&](const Tensors& column) {
    if (!axis && column.size() == 1) return column[0];
    const Partial all = partial(column, axis);
    return op == ReduceOp::sum ? all.total : ops::divide(all.total, all.entries);
  });
}

bool are_same(const Tensors& column) {
  return std::all_of(column.begin(), column.end(),
                     [&](const Tensor& t) { return t.impl() == column[0].impl(); });
}

}  // namespace

Strategy::Strategy() {
  static const auto instance = std::make_shared<const DefaultStrategy>();
  impl_ = instance;
}

int64_t Strategy::num_replicas_in_sync() const { return impl_->replicas(); }

ops::Communicator* Strategy::workers() const { return impl_->workers(); }
bool Strategy::is_chief() const { return workers() == nullptr || workers()->rank() == 0; }
data::InputContext Strategy::input_context() const { return impl_->input_context(); }

StrategyScope Strategy::scope() const { return StrategyScope(*this); }

bool Strategy::variable_created_in_scope(const Variable& variable) const {
  return variable_origin(variable) == origin();
}

VariableOrigin Strategy::origin() const { return *this == Strategy() ? nullptr : impl_; }

PerReplica Strategy::run(const ReplicaFunction& function, const PerReplica& arguments,
                         const RunOptions& options) const {
  if (static_cast<int64_t>(arguments.size()) != impl_->local_replicas()) {
    throw ValueError("Strategy.run: expected the arguments of {} replicas. Received: {}.",
                     impl_->local_replicas(), arguments.size());
  }
  if (in_replica())
    throw RuntimeError("Strategy.run must not be called inside of the function of a replica.");
  if (*this == Strategy()) return impl_->run(function, arguments, options);
  const StrategyScope scope(*this);
  return impl_->run(function, arguments, options);
}

PerReplica Strategy::split(const Nest& batch) const {
  const int64_t replicas = impl_->local_replicas();
  if (replicas == 1) return {impl_->place_batch(batch)};
  if (!has_rows(batch)) return PerReplica(static_cast<size_t>(replicas), batch);
  const int64_t rows = data::batch_rows(batch);
  const int64_t share = ceil_div(rows, replicas);
  PerReplica parts;
  for (int64_t r = 0; r < replicas; ++r) {
    const int64_t begin = std::min(r * share, rows);
    const int64_t end = std::min(begin + share, rows);
    parts.push_back(begin == end ? Nest() : batch.map([&](const Tensor& t) {
      return t.defined() && t.rank() > 0 && t.dim(0) == rows ? ops::slice_axis(t, 0, begin, end)
                                                             : t;
    }));
  }
  return parts;
}

Nest Strategy::reduce(ReduceOp op, const PerReplica& values, std::optional<int64_t> axis) const {
  check_reduce_op(op);
  // In a merge_call(), the values are those of all workers.
  if (workers() == nullptr || JointUpdate::is_active()) return reduce_here(op, values, axis);
  const PerReplica given = present(values);
  if (given.empty())
    throw ValueError("Strategy.reduce: each worker needs a value of at least one of its replicas.");
  const bool is_empty = worker_batch().is_empty;
  return zip(given, [&](const Tensors& column) {
    Partial own = partial(column, axis);
    if (is_empty) {
      // A `where`, not a constant: all workers must build the same messages.
      const Tensor zeros = ops::zeros(own.total.shape(), own.total.dtype());
      own = {ops::where(Tensor(false), own.total, zeros), 0};
    }
    Tensor total = ops::worker_all_reduce(own.total);
    if (op == ReduceOp::sum) return total;
    const DType dtype = is_floating(total.dtype()) ? total.dtype() : DType::float32;
    return ops::divide(total, ops::worker_all_reduce(Tensor::full(dtype, {}, own.entries)));
  });
}

Nest Strategy::reduce(const std::string& op, const PerReplica& values,
                      std::optional<int64_t> axis) const {
  return reduce(reduce_op(op), values, axis);
}

Nest Strategy::reduce(ReduceOp op, const Nest& value, std::optional<int64_t> axis) const {
  check_reduce_op(op);
  return reduce_here(op, PerReplica(static_cast<size_t>(num_replicas_in_sync()), value), axis);
}

Nest Strategy::reduce(const std::string& op, const Nest& value, std::optional<int64_t> axis) const {
  return reduce(reduce_op(op), value, axis);
}

Nest gather_here(const PerReplica& values, int64_t axis) {
  return zip(present(values), [&](const Tensors& column) {
    for (const Tensor& t : column) check_axis("gather", t, axis);
    return ops::concatenate(column, axis);
  });
}

Nest Strategy::gather(const PerReplica& values, int64_t axis) const {
  Nest own = gather_here(values, axis);
  const ops::Communicator* const group = workers();
  if (group == nullptr || group->size() == 1 || JointUpdate::is_active()) return own;
  if (own.is_none())
    throw ValueError("Strategy.gather: each worker needs a value of at least one of its replicas.");
  return own.map([&](const Tensor& t) {
    if (!t.defined()) return t;
    const int64_t along = axis < 0 ? axis + t.rank() : axis;
    const int64_t size = t.dim(static_cast<int>(along));
    std::vector<int64_t> sizes(static_cast<size_t>(group->size()), size);
    // The sizes of other workers are values, which a trace does not know.
    if (!t.is_traced())
      sizes = ops::worker_all_gather(Tensor::of<int64_t>({size})).to_vector<int64_t>();
    return gather_workers(t, along, sizes);
  });
}

PerReplica Strategy::experimental_distribute_values_from_function(
    const std::function<Nest(const ValueContext& context)>& function) const {
  PerReplica values;
  const int64_t replicas = num_replicas_in_sync();
  const int64_t first = impl_->first_replica();
  for (int64_t r = first; r < first + impl_->local_replicas(); ++r)
    values.push_back(function({r, replicas}));
  return values;
}

void check_reduction(const std::string& reduction) {
  for (const char* known : {"auto", "first", "sum", "concat"}) {
    if (reduction == known) return;
  }
  throw ValueError(
      "`reduction` must be one of \"auto\", \"first\", \"sum\", \"concat\". Received: \"{}\".",
      reduction);
}

Nest reduce_per_replica(const PerReplica& values, const Strategy& strategy,
                        const std::string& reduction) {
  check_reduction(reduction);
  const PerReplica given = present(values);
  if (given.empty() || (strategy.num_replicas_in_sync() == 1 && reduction != "concat"))
    return given.empty() ? Nest() : given[0];
  if (reduction == "first") return given[0];
  if (reduction == "concat") return zip(given, joined);
  return zip(given,
             [](const Tensors& column) { return are_same(column) ? column[0] : sum_of(column); });
}

Strategy get_strategy() { return t_strategy.value_or(Strategy()); }
bool has_strategy() { return t_strategy && !(*t_strategy == Strategy()); }

void experimental_set_strategy(const Strategy& strategy) {
  if (t_scopes > 0) {
    throw RuntimeError(
        "experimental_set_strategy must not be called inside of the scope of a strategy.");
  }
  const bool is_default = strategy == Strategy();
  t_strategy = is_default ? std::optional<Strategy>() : strategy;
  set_variable_origin(strategy.origin());
}

StrategyScope::StrategyScope(Strategy strategy) : previous_(t_strategy) {
  if (previous_ && !(*previous_ == strategy)) {
    throw RuntimeError(
        "Mixing different strategies: the scope of one strategy must not be opened inside of "
        "another's.");
  }
  origin_.emplace(strategy.origin());
  t_strategy = std::move(strategy);
  ++t_scopes;
}

StrategyScope::~StrategyScope() {
  --t_scopes;
  t_strategy = previous_;
}

}  // namespace antler::distribute
