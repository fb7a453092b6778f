#include "compiler/nest_interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "compiler/kernels.h"
#include "compiler/views.h"

namespace antler::compiler {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

int64_t product(const std::vector<int64_t>& extents) {
  int64_t n = 1;
  for (int64_t e : extents) n *= e;
  return n;
}

/// Point number `n` of a space, outermost dimension first.
std::vector<int64_t> point(int64_t n, const std::vector<int64_t>& extents) {
  std::vector<int64_t> index(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    index[d] = n % extents[d];
    n /= extents[d];
  }
  return index;
}

int64_t address(const Access& a, const std::vector<int64_t>& p, const std::vector<int64_t>& r) {
  int64_t sum = a.offset;
  for (size_t d = 0; d < p.size(); ++d) sum += a.parallel[d] * p[d];
  for (size_t d = 0; d < r.size(); ++d) sum += a.reduction[d] * r[d];
  return sum;
}

Tensor number(DType dtype, double real, int64_t whole) {
  Tensor t = Tensor::empty(dtype, {});
  dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      *t.mutable_data<T>() = static_cast<T>(whole);
    } else {
      *t.mutable_data<T>() = static_cast<T>(static_cast<ComputeType<T>>(real));
    }
  });
  return t;
}

/// An accumulator: floats in double, everything else in 64 bits.
class Total {
 public:
  Total(Fold fold, DType dtype) : fold_(fold), dtype_(dtype), real_(fold == Fold::prod ? 1 : 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (fold == Fold::max) real_ = -infinity;
    if (fold == Fold::min) real_ = infinity;
    whole_ = fold == Fold::prod || fold == Fold::all ? 1 : 0;
  }

  void add(const Tensor& x) {
    dispatch(dtype_, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        add_whole(*x.data<T>());
      } else {
        add_real(static_cast<double>(static_cast<ComputeType<T>>(*x.data<T>())));
      }
    });
    first_ = false;
  }
  Tensor value() const { return number(dtype_, real_, whole_); }

 private:
  void add_real(double x) {
    switch (fold_) {
      case Fold::sum:
        real_ += x;
        break;
      case Fold::prod:
        real_ *= x;
        break;
      case Fold::max:
        real_ = std::isnan(x) || x > real_ ? x : real_;
        break;
      case Fold::min:
        real_ = std::isnan(x) || x < real_ ? x : real_;
        break;
      default:
        throw InternalError("a logical fold of numbers");
    }
  }
  template <class T>
  void add_whole(T x) {
    const auto wide = static_cast<uint64_t>(static_cast<int64_t>(x));
    switch (fold_) {
      case Fold::sum:
        whole_ = static_cast<int64_t>(static_cast<uint64_t>(whole_) + wide);
        break;
      case Fold::prod:
        whole_ = static_cast<int64_t>(static_cast<uint64_t>(whole_) * wide);
        break;
      case Fold::max:
        whole_ = first_ || x > static_cast<T>(whole_) ? static_cast<int64_t>(x) : whole_;
        break;
      case Fold::min:
        whole_ = first_ || x < static_cast<T>(whole_) ? static_cast<int64_t>(x) : whole_;
        break;
      case Fold::any:
        whole_ = whole_ != 0 || x != 0 ? 1 : 0;
        break;
      case Fold::all:
        whole_ = whole_ != 0 && x != 0 ? 1 : 0;
        break;
    }
  }

  Fold fold_;
  DType dtype_;
  double real_;
  int64_t whole_;
  bool first_ = true;
};

Tensor evaluate(const Expr& e, const Tensors& values) {
  Tensors inputs;
  for (int arg : e.args) inputs.push_back(values[at(arg)]);
  const Tensors outputs = {Tensor::empty(e.dtype, {})};
  const ir::Attrs attrs = {{"dtype", e.dtype}};
  e.op->reference({inputs, outputs, attrs, {}});
  return outputs[0];
}

void run_point(const LoopNest& nest, std::span<void* const> buffers,
               const std::vector<int64_t>& p) {
  std::vector<Tensors> rows;
  for (const Phase& phase : nest.phases) {
    std::vector<Total> totals;
    for (const Reduction& r : phase.reductions)
      totals.emplace_back(r.fold, phase.exprs[at(r.value)].dtype);
    const int64_t count = product(phase.extents);
    for (int64_t n = 0; n < count; ++n) {
      const std::vector<int64_t> r = point(n, phase.extents);
      Tensors values;
      for (const Expr& e : phase.exprs) {
        switch (e.kind) {
          case Expr::Kind::load: {
            const Tensor t = Tensor::empty(e.dtype, {});
            const size_t size = dtype_size(e.dtype);
            const auto* from = static_cast<const char*>(buffers[at(e.access.buffer)]);
            std::memcpy(t.mutable_data(),
                        from + address(e.access, p, r) * static_cast<int64_t>(size), size);
            values.push_back(t);
            break;
          }
          case Expr::Kind::index: {
            const int64_t index = address(e.access, p, r);
            values.push_back(number(e.dtype, static_cast<double>(index), index));
            break;
          }
          case Expr::Kind::constant:
            values.push_back(number(e.dtype, e.number, e.integer));
            break;
          case Expr::Kind::op:
            values.push_back(evaluate(e, values));
            break;
          case Expr::Kind::row:
            values.push_back(rows[at(e.row_phase)][at(e.row_index)]);
            break;
        }
      }
      for (const Store& store : phase.stores) {
        const size_t size = dtype_size(store.dtype);
        auto* to = static_cast<char*>(buffers[at(store.access.buffer)]);
        std::memcpy(to + address(store.access, p, r) * static_cast<int64_t>(size),
                    values[at(store.value)].data(), size);
      }
      for (size_t i = 0; i < totals.size(); ++i)
        totals[i].add(values[at(phase.reductions[i].value)]);
    }
    rows.emplace_back();
    for (const Total& total : totals) rows.back().push_back(total.value());
  }
}

/// The memory of one run.
class Memory {
 public:
  Memory(const Plan& plan, std::span<const Tensor> arguments) : plan_(plan) {
    const ir::Graph& graph = plan.graph;
    for (size_t i = 0; i < graph.inputs.size(); ++i) arguments_.push_back(copy(arguments[i]));
    for (const ir::StateSlot& s : graph.states) states_.push_back(copy(s.variable.stored()));
    for (ir::ValueId v : graph.outputs)
      results_.push_back(Tensor::empty(graph.spec(v).dtype, graph.spec(v).shape));
    arena_ = Buffer::allocate(static_cast<size_t>(std::max<int64_t>(plan.memory.arena, 1)));
    std::memset(arena_->data(), 0xff, arena_->bytes());
  }
  static Tensor copy(const Tensor& t) {
    Tensor c = Tensor::empty(t.dtype(), t.shape());
    std::memcpy(c.mutable_data(), t.data(), t.bytes());
    return c;
  }
  void* of(ir::ValueId v) const {
    const Slot& slot = plan_.slots[at(v)];
    const auto index = static_cast<size_t>(slot.index);
    char* base = nullptr;
    switch (slot.space) {
      case Slot::Space::none:
        throw InternalError("a kernel uses a value without a place");
      case Slot::Space::argument:
        base = static_cast<char*>(arguments_[index].mutable_data());
        break;
      case Slot::Space::state:
        base = static_cast<char*>(states_[index].mutable_data());
        break;
      case Slot::Space::result:
        base = static_cast<char*>(results_[index].mutable_data());
        break;
      case Slot::Space::constant:
        base =
            static_cast<char*>(plan_.graph.nodes[index].attrs.get<Tensor>("value").mutable_data());
        break;
      case Slot::Space::arena:
        base = static_cast<char*>(arena_->data());
        break;
    }
    return base + slot.offset;
  }
  Tensor tensor(ir::ValueId v) const {
    const TensorSpec& spec = plan_.graph.spec(v);
    const size_t bytes = static_cast<size_t>(bytes_of(plan_.graph, v));
    return Tensor::from_buffer(spec, Buffer::borrow(of(v), bytes, nullptr));
  }
  const Tensors& results() const { return results_; }
  const Tensors& states() const { return states_; }

 private:
  const Plan& plan_;
  Tensors arguments_;
  Tensors states_;
  Tensors results_;
  std::shared_ptr<Buffer> arena_;
};

void run_library(const Plan& plan, const PlanKernel& kernel, const Memory& memory) {
  const ir::Node& node = plan.graph.nodes[at(kernel.node)];
  Tensors inputs;
  std::vector<TensorSpec> specs;
  for (ir::ValueId v : node.inputs) inputs.push_back(Memory::copy(memory.tensor(v)));
  for (ir::ValueId v : node.outputs) specs.push_back(plan.graph.spec(v));
  const Tensors outputs =
      ir::reference_executor().run(*node.op, inputs, node.attrs, node.regions, specs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::memcpy(memory.of(kernel.buffers[node.inputs.size() + i]), outputs[i].data(),
                outputs[i].bytes());
  }
}

}  // namespace

void run_nest(const LoopNest& nest, std::span<void* const> buffers, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(product(nest.extents)));
  std::iota(order.begin(), order.end(), 0);
  if (seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  for (int64_t n : order) run_point(nest, buffers, point(n, nest.extents));
}

Tensors run_plan(const Plan& plan, std::span<const Tensor> arguments, uint64_t seed) {
  const Memory memory(plan, arguments);
  for (const PlanKernel& kernel : plan.kernels) {
    switch (kernel.kind) {
      case PlanKernel::Kind::loop: {
        std::vector<void*> buffers;
        for (ir::ValueId v : kernel.buffers) buffers.push_back(memory.of(v));
        run_nest(kernel.nest, buffers, seed);
        break;
      }
      case PlanKernel::Kind::library:
        run_library(plan, kernel, memory);
        break;
      case PlanKernel::Kind::copy:
        std::memcpy(memory.of(kernel.buffers[1]), memory.of(kernel.buffers[0]),
                    static_cast<size_t>(bytes_of(plan.graph, kernel.buffers[0])));
        break;
    }
  }
  for (size_t i = 0; i < plan.graph.states.size(); ++i) {
    if (plan.graph.states[i].output >= 0) plan.graph.states[i].variable.store(memory.states()[i]);
  }
  return memory.results();
}

std::string find_fault(const Plan& plan) {
  const ir::Graph& graph = plan.graph;
  std::vector<char> written(graph.values.size(), 0);
  const auto name = [](size_t k, ir::ValueId v) {
    return "kernel " + std::to_string(k) + ", %" + std::to_string(v);
  };
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Slot::Space space = plan.slots[v].space;
    const bool input = graph.values[v].node < 0;
    if (input || space == Slot::Space::constant) written[v] = 1;
  }
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const PlanKernel& kernel = plan.kernels[k];
    for (ir::ValueId v : kernel.buffers) {
      if (plan.slots[at(v)].space == Slot::Space::none) return name(k, v) + " has no place";
    }
    for (ir::ValueId v : reads_of(graph, kernel)) {
      if (written[at(v)] == 0) return name(k, v) + " is read before it is written";
    }
    for (ir::ValueId v : writes_of(graph, kernel)) {
      if (written[at(v)] != 0) return name(k, v) + " is written twice";
      written[at(v)] = 1;
    }
  }
  for (ir::ValueId v : graph.results()) {
    if (written[at(storage_base(graph, v))] == 0)
      return "result %" + std::to_string(v) + " is never written";
  }
  return {};
}

}  // namespace antler::compiler
