#include "compiler/nest_builder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "compiler/at.h"
#include "compiler/cost.h"
#include "compiler/index_form.h"
#include "compiler/nest_shape.h"
#include "compiler/op_kind.h"
#include "compiler/passes/folding.h"
#include "compiler/views.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

Fold fold_of(OpKind kind, DType dtype) {
  const bool boolean = dtype == DType::boolean;
  switch (kind) {
    case OpKind::reduce_sum:
      return Fold::sum;
    case OpKind::reduce_prod:
      return Fold::prod;
    case OpKind::reduce_max:
      return boolean ? Fold::any : Fold::max;
    case OpKind::reduce_min:
      return boolean ? Fold::all : Fold::min;
    case OpKind::reduce_any:
      return Fold::any;
    case OpKind::reduce_all:
      return Fold::all;
    default:
      throw InternalError("fold_of: not a reduction.");
  }
}

Expr number(const Tensor& one) {
  Expr e;
  e.kind = Expr::Kind::constant;
  e.dtype = one.dtype();
  dispatch(one.dtype(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      e.integer = static_cast<int64_t>(static_cast<std::common_type_t<T, int>>(*one.data<T>()));
    } else {
      e.number = static_cast<double>(static_cast<ComputeType<T>>(*one.data<T>()));
    }
  });
  return e;
}

/// Thrown inside this file when an index is not linear in the loop variables.
struct NotLinear {
  ValueId value = -1;  ///< to be separated, unless a split helps
  int space = 0;
  SplitNeeded split;
};

class Builder {
 public:
  Builder(const ir::Graph& graph, const Fusion& fusion, int nest)
      : graph_(graph),
        fusion_(fusion),
        id_(nest),
        fused_(fusion.nests[at(nest)]),
        parallel_(fused_.parallel) {
    for (const FusedNest::Member& member : fused_.members)
      member_space_.push_back(space_of(member.pattern));
    rows_space_ = space_of(Pattern::whole(parallel_points()));
    plan_phases();
  }

  BuiltNest build();
  /// After build(): finds expensive values that several phases compute. Returns true if there are
  /// any; then the next build() computes them once.
  bool borrow_buffers();
  /// Splits a loop variable of a space in two.
  void split(int space, const SplitNeeded& split);

 private:
  /// A set of loop variables: those of the parallel space, then the space's own.
  struct Space {
    Pattern pattern;
    std::vector<int64_t> inner;
  };
  /// What one phase computes; members by index.
  struct Step {
    int level = 0;
    int space = 0;
    std::vector<size_t> reductions;
    std::vector<size_t> stores;
  };

  /// Where the values of a whole space are once a phase has stored them.
  struct Kept {
    int space = 0;
    ValueId buffer = -1;
  };
  /// The values of an expensive expression that several phases need: the first of these phases
  /// stores them in a buffer borrowed from a value that the last one stores.
  struct Borrowed {
    size_t first = 0;
    ValueId buffer = -1;
  };

  int64_t parallel_points() const {
    int64_t n = 1;
    for (int64_t e : parallel_) n *= e;
    return n;
  }
  ValueId base(ValueId v) const { return storage_base(graph_, v); }
  bool is_member(ValueId v) const { return fusion_.home[at(v)] == id_; }
  bool is_inside(ValueId v) const { return fusion_.home[at(v)] == Fusion::kInside || is_member(v); }
  const FusedNest::Member& member(size_t i) const { return fused_.members[i]; }
  const ir::Node& definition(ValueId v) const { return *graph_.definition(v); }

  int space_of(const Pattern& pattern);
  void plan_phases();
  int level(ValueId v);
  std::vector<int64_t> extents(int space) const;
  IndexForm whole_form(int space) const;
  IndexForm row_form(int space) const;
  Access access(ValueId v, const IndexForm& form, bool written);

  IndexForm place_of(ValueId v, const FusedNest::Part& part, const IndexForm& form) const;

  Phase build_phase(const Step& step, size_t index);
  int expr(ValueId v, const IndexForm& form);
  int expr_inside(ValueId v, const IndexForm& form);
  const Kept* find_kept(ValueId v, const IndexForm& form) const;
  bool is_expensive(ValueId v) const { return fusion_.work[at(v)] >= kExpensive; }
  bool is_state(ValueId v) const;
  ValueId lender_for(ValueId v, const Step& last) const;
  int append(Expr e);

  const ir::Graph& graph_;
  const Fusion& fusion_;
  int id_;
  const FusedNest& fused_;
  std::vector<int64_t> parallel_;
  std::vector<Space> spaces_;
  std::vector<int> member_space_;
  int rows_space_ = 0;
  std::vector<Step> steps_;
  std::map<ValueId, int> levels_;
  std::map<ValueId, std::pair<int, int>> rows_;  // reduction -> phase and index there
  std::map<ValueId, Kept> kept_;
  std::map<ValueId, Borrowed> borrowed_;
  std::vector<std::vector<ValueId>> computed_;  // expensive values of whole spaces, by phase

  BuiltNest built_;
  std::map<ValueId, int> buffers_;
  // Of the phase that is being written:
  Phase phase_;
  int space_ = 0;
  size_t step_ = 0;
  std::map<std::pair<ValueId, std::vector<int64_t>>, int> done_;
};

int Builder::space_of(const Pattern& pattern) {
  for (size_t s = 0; s < spaces_.size(); ++s) {
    if (spaces_[s].pattern == pattern) return static_cast<int>(s);
  }
  Space space{pattern, {}};
  for (const Pattern::Block& block : pattern.blocks) {
    if (!block.kept) space.inner.push_back(block.size);
  }
  spaces_.push_back(std::move(space));
  return static_cast<int>(spaces_.size()) - 1;
}

void Builder::split(int space, const SplitNeeded& split) {
  const auto cut = [&](std::vector<int64_t>& sizes, size_t i) {
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(i) + 1, split.inner);
    sizes[i] /= split.inner;
  };
  const auto variable = at(split.variable);
  if (variable < parallel_.size()) {
    cut(parallel_, variable);
  } else {
    cut(spaces_[at(space)].inner, variable - parallel_.size());
  }
}

/// Number of phases that must run before `v` can be computed at a point.
int Builder::level(ValueId v) {
  v = base(v);
  if (!is_inside(v)) return 0;
  if (const auto it = levels_.find(v); it != levels_.end()) return it->second;
  const ir::Node& node = definition(v);
  int result = 0;
  for (ValueId in : node.inputs) result = std::max(result, level(in));
  if (is_reduction(kind_of(node))) ++result;
  levels_.emplace(v, result);
  return result;
}

void Builder::plan_phases() {
  const auto step_for = [&](int level, int space) -> Step& {
    for (Step& step : steps_) {
      if (step.level == level && step.space == space) return step;
    }
    steps_.push_back({level, space, {}, {}});
    return steps_.back();
  };
  for (size_t i = 0; i < fused_.members.size(); ++i) {
    if (member(i).reduction)
      step_for(level(member(i).value) - 1, member_space_[i]).reductions.push_back(i);
  }
  constexpr int kLast = 1 << 30;
  for (size_t i = 0; i < fused_.members.size(); ++i) {
    if (!member(i).is_written()) continue;
    const bool row = member(i).reduction || member(i).pattern.is_whole();
    if (row) {  // row values stay available: all are stored at the end
      step_for(kLast, rows_space_).stores.push_back(i);
      continue;
    }
    const int needs = level(member(i).value);
    Step* best = nullptr;
    for (Step& step : steps_) {
      const bool fits =
          step.space == member_space_[i] && step.level >= needs && step.level != kLast;
      if (fits && (best == nullptr || step.level < best->level)) best = &step;
    }
    if (best == nullptr) {
      // All values that are stored after the last reduction of their space share one phase.
      int latest = needs;
      for (size_t j = 0; j < fused_.members.size(); ++j) {
        if (member(j).is_written() && member_space_[j] == member_space_[i])
          latest = std::max(latest, level(member(j).value));
      }
      best = &step_for(latest, member_space_[i]);
    }
    best->stores.push_back(i);
  }
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const Step& a, const Step& b) { return a.level < b.level; });
}

std::vector<int64_t> Builder::extents(int space) const {
  std::vector<int64_t> all = parallel_;
  const auto& inner = spaces_[at(space)].inner;
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

/// The row-major index of a point of the space.
IndexForm Builder::whole_form(int space) const {
  const Space& s = spaces_[at(space)];
  IndexForm form{0, std::vector<int64_t>(parallel_.size() + s.inner.size(), 0)};
  size_t next_parallel = parallel_.size();
  size_t next_inner = s.inner.size();
  int64_t stride = 1;
  for (auto block = s.pattern.blocks.rbegin(); block != s.pattern.blocks.rend(); ++block) {
    for (int64_t rest = block->size; rest > 1;) {
      const size_t v = block->kept ? --next_parallel : parallel_.size() + --next_inner;
      const int64_t extent = block->kept ? parallel_[v] : s.inner[v - parallel_.size()];
      form.factors[v] = stride;
      stride *= extent;
      rest /= extent;
    }
  }
  return form;
}

/// The row-major index of the parallel point.
IndexForm Builder::row_form(int space) const {
  IndexForm form{0, std::vector<int64_t>(parallel_.size() + spaces_[at(space)].inner.size(), 0)};
  int64_t stride = 1;
  for (size_t v = parallel_.size(); v-- > 0;) {
    form.factors[v] = stride;
    stride *= parallel_[v];
  }
  return form;
}

Access Builder::access(ValueId v, const IndexForm& form, bool written) {
  const auto [it, fresh] = buffers_.try_emplace(v, static_cast<int>(built_.buffers.size()));
  if (fresh) {
    built_.buffers.push_back(v);
    built_.nest.buffers.push_back({graph_.spec(v).dtype, false});
  }
  if (written) built_.nest.buffers[at(it->second)].written = true;
  const auto middle = form.factors.begin() + static_cast<std::ptrdiff_t>(parallel_.size());
  return {it->second, form.constant, {form.factors.begin(), middle}, {middle, form.factors.end()}};
}

int Builder::append(Expr e) {
  phase_.exprs.push_back(std::move(e));
  return static_cast<int>(phase_.exprs.size()) - 1;
}

int Builder::expr(ValueId v, const IndexForm& form) {
  v = base(v);
  auto key = std::pair(v, form.factors);
  key.second.push_back(form.constant);
  if (const auto it = done_.find(key); it != done_.end()) return it->second;
  int result = -1;
  const Kept* kept = find_kept(v, form);
  if (const Tensor one = splat_of(graph_, v); one.defined()) {
    result = append(number(one));
  } else if (is_inside(v) && kept == nullptr) {
    result = expr_inside(v, form);
    if (is_expensive(v) && form == whole_form(space_)) computed_[step_].push_back(v);
  } else {
    Expr e;
    e.kind = Expr::Kind::load;
    e.dtype = graph_.spec(v).dtype;
    e.access = access(kept != nullptr ? kept->buffer : v, form, false);
    result = append(std::move(e));
  }
  done_.emplace(std::move(key), result);
  return result;
}

/// Where an earlier phase stored this element, if loading it is cheaper than computing it again.
const Builder::Kept* Builder::find_kept(ValueId v, const IndexForm& form) const {
  const auto kept = kept_.find(v);
  if (kept == kept_.end() || kept->second.space != space_ || !is_expensive(v)) return nullptr;
  return form == whole_form(space_) ? &kept->second : nullptr;
}

int Builder::expr_inside(ValueId v, const IndexForm& form) {
  const ir::Node& node = definition(v);
  const OpKind kind = kind_of(node);
  const std::vector<int64_t> sizes = extents(space_);
  Expr e;
  e.dtype = graph_.spec(v).dtype;
  SplitNeeded problem;
  if (is_reduction(kind)) {
    const auto row = rows_.find(v);
    if (row == rows_.end() || !(form == row_form(space_))) throw NotLinear{v, space_, {}};
    e.kind = Expr::Kind::row;
    e.row_phase = row->second.first;
    e.row_index = row->second.second;
    return append(std::move(e));
  }
  if (kind == OpKind::iota) {
    const auto dims = delinearize(form, graph_.spec(v).shape, sizes, problem);
    if (!dims) throw NotLinear{v, space_, problem};
    const IndexForm& index = (*dims)[static_cast<size_t>(node.attrs.integer("axis"))];
    const auto middle = index.factors.begin() + static_cast<std::ptrdiff_t>(parallel_.size());
    e.kind = Expr::Kind::index;
    e.access = {0, index.constant, {index.factors.begin(), middle}, {middle, index.factors.end()}};
    return append(std::move(e));
  }
  if (is_view(kind)) {
    const auto inner = through_view(graph_, node, form, sizes, problem);
    if (!inner) throw NotLinear{v, space_, problem};
    return expr(node.inputs[0], *inner);
  }
  if (kind == OpKind::stop_gradient) return expr(node.inputs[0], form);
  e.kind = Expr::Kind::op;
  e.op = node.op;
  for (ValueId in : node.inputs) e.args.push_back(expr(in, form));
  return append(std::move(e));
}

/// The index in a concatenation of element `form` of its operand `v`.
IndexForm Builder::place_of(ValueId v, const FusedNest::Part& part, const IndexForm& form) const {
  SplitNeeded problem;
  const Shape rows({graph_.spec(v).shape.num_elements() / part.width, part.width});
  const auto dims = delinearize(form, rows, extents(space_), problem);
  if (!dims) throw NotLinear{v, space_, problem};
  const IndexForm& row = (*dims)[0];
  IndexForm place = (*dims)[1];
  place.constant += row.constant * part.row + part.offset;
  for (size_t i = 0; i < place.factors.size(); ++i) place.factors[i] += row.factors[i] * part.row;
  return place;
}

Phase Builder::build_phase(const Step& step, size_t index) {
  phase_ = {};
  done_.clear();
  space_ = step.space;
  step_ = index;
  phase_.extents = spaces_[at(step.space)].inner;
  const IndexForm whole = whole_form(step.space);
  for (size_t i : step.reductions) {
    const ir::Node& node = definition(member(i).value);
    const int value = expr(node.inputs[0], whole);
    rows_[member(i).value] = {static_cast<int>(index), static_cast<int>(phase_.reductions.size())};
    phase_.reductions.push_back({fold_of(kind_of(node), graph_.spec(node.inputs[0]).dtype), value});
  }
  for (size_t i : step.stores) {
    const ValueId v = member(i).value;
    const IndexForm form = step.space == rows_space_ ? row_form(step.space) : whole;
    const int value = expr(v, form);
    if (member(i).stored) {
      phase_.stores.push_back({access(v, form, true), graph_.spec(v).dtype, value});
    }
    for (const FusedNest::Part& part : member(i).parts) {
      const IndexForm place = place_of(v, part, form);
      phase_.stores.push_back({access(part.result, place, true), graph_.spec(v).dtype, value});
    }
  }
  for (const auto& [v, borrowed] : borrowed_) {
    if (borrowed.first != index) continue;
    const int value = expr(v, whole);
    phase_.stores.push_back({access(borrowed.buffer, whole, true), graph_.spec(v).dtype, value});
    kept_[v] = {step.space, borrowed.buffer};
  }
  if (step.space != rows_space_) {
    for (size_t i : step.stores) {
      if (member(i).stored) kept_[member(i).value] = {step.space, member(i).value};
    }
  }
  return std::move(phase_);
}

BuiltNest Builder::build() {
  built_ = {};
  buffers_.clear();
  rows_.clear();
  kept_.clear();
  computed_.assign(steps_.size(), {});
  built_.nest.extents = parallel_;
  for (size_t i = 0; i < steps_.size(); ++i)
    built_.nest.phases.push_back(build_phase(steps_[i], i));
  merge_dimensions(built_.nest);
  built_.name = name_of(built_.nest);
  return std::move(built_);
}

bool Builder::is_state(ValueId v) const {
  return std::any_of(graph_.states.begin(), graph_.states.end(), [&](const ir::StateSlot& slot) {
    return slot.output >= 0 && base(slot.output) == v;
  });
}

/// A value that `last` stores in the space of `v` and whose buffer is unused until then; -1 if
/// there is none.
ValueId Builder::lender_for(ValueId v, const Step& last) const {
  for (size_t i : last.stores) {
    const ValueId m = member(i).value;
    // The old value of a state may still be needed.
    if (m == v || !member(i).stored || is_state(m) ||
        !(graph_.spec(m).dtype == graph_.spec(v).dtype))
      continue;
    const bool taken = std::any_of(borrowed_.begin(), borrowed_.end(),
                                   [&](const auto& entry) { return entry.second.buffer == m; });
    if (!taken) return m;
  }
  return -1;
}

bool Builder::borrow_buffers() {
  if (!borrowed_.empty()) return false;
  std::map<ValueId, std::pair<size_t, size_t>> spans;  // first and last phase that compute a value
  for (size_t p = 0; p < computed_.size(); ++p) {
    for (ValueId v : computed_[p]) spans.try_emplace(v, p, p).first->second.second = p;
  }
  std::vector<ValueId> order;
  for (const auto& [v, span] : spans) {
    if (span.first != span.second) order.push_back(v);
  }
  std::sort(order.begin(), order.end(), [&](ValueId a, ValueId b) {
    return std::pair(fusion_.work[at(b)], b) < std::pair(fusion_.work[at(a)], a);
  });
  for (ValueId v : order) {
    const auto [first, last] = spans[v];
    if (steps_[first].space != steps_[last].space) continue;
    const ValueId buffer = lender_for(v, steps_[last]);
    if (buffer >= 0) borrowed_[v] = {first, buffer};
  }
  return !borrowed_.empty();
}

}  // namespace

std::optional<BuiltNest> build_nest(const ir::Graph& graph, const Fusion& fusion, int nest,
                                    ValueId& problem) {
  Builder builder(graph, fusion, nest);
  constexpr int kMaxSplits = 64;
  for (int i = 0; i < kMaxSplits; ++i) {
    try {
      BuiltNest built = builder.build();
      if (!builder.borrow_buffers()) return built;
    } catch (const NotLinear& failure) {
      problem = failure.value;
      if (failure.split.variable < 0) return {};
      builder.split(failure.space, failure.split);
    }
  }
  return {};
}

}  // namespace antler::compiler
