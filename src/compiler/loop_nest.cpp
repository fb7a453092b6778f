#include "compiler/loop_nest.h"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "antler/base/error.h"

namespace antler::compiler {
namespace {

/// "12 + 10*i0 + 1*r0"; terms of stride 0 are left out.
void print_address(std::string& out, const Access& access) {
  auto it = std::back_inserter(out);
  fmt::format_to(it, "{}", access.offset);
  for (size_t d = 0; d < access.parallel.size(); ++d) {
    if (access.parallel[d] != 0) fmt::format_to(it, " + {}*i{}", access.parallel[d], d);
  }
  for (size_t d = 0; d < access.reduction.size(); ++d) {
    if (access.reduction[d] != 0) fmt::format_to(it, " + {}*r{}", access.reduction[d], d);
  }
}

void print_expr(std::string& out, const Expr& e) {
  auto it = std::back_inserter(out);
  switch (e.kind) {
    case Expr::Kind::load:
      fmt::format_to(it, "load b{}[", e.access.buffer);
      print_address(out, e.access);
      out += ']';
      return;
    case Expr::Kind::index:
      out += "index ";
      print_address(out, e.access);
      return;
    case Expr::Kind::constant:
      // Hexadecimal: equal strings must mean equal bits.
      if (is_floating(e.dtype)) {
        fmt::format_to(it, "{:a}", e.number);
      } else {
        fmt::format_to(it, "{}", e.integer);
      }
      return;
    case Expr::Kind::op:
      fmt::format_to(it, "{}(%{})", e.op->name, fmt::join(e.args, ", %"));
      return;
    case Expr::Kind::row:
      fmt::format_to(it, "row {}.{}", e.row_phase, e.row_index);
      return;
  }
}

int64_t product(const std::vector<int64_t>& extents) {
  int64_t n = 1;
  for (int64_t e : extents) n *= e;
  return n;
}

[[noreturn]] void fail(const LoopNest& nest, const std::string& message) {
  throw InternalError(fmt::format("Loop nest: {}.\n{}", message, print(nest)));
}

void check_access(const LoopNest& nest, const Phase& phase, const Access& a, const char* what) {
  if (a.parallel.size() != nest.extents.size() || a.reduction.size() != phase.extents.size()) {
    fail(nest, fmt::format("a {} has {} parallel and {} reduction strides, expected {} and {}",
                           what, a.parallel.size(), a.reduction.size(), nest.extents.size(),
                           phase.extents.size()));
  }
}

void check_buffer(const LoopNest& nest, const Phase& phase, const Access& a, DType dtype,
                  const char* what) {
  check_access(nest, phase, a, what);
  if (a.buffer < 0 || static_cast<size_t>(a.buffer) >= nest.buffers.size()) {
    fail(nest, fmt::format("a {} names buffer {} of {}", what, a.buffer, nest.buffers.size()));
  }
  const BufferInfo& buffer = nest.buffers[static_cast<size_t>(a.buffer)];
  if (buffer.dtype != dtype) {
    fail(nest, fmt::format("a {} of {} from a buffer of {}", what, dtype_name(dtype),
                           dtype_name(buffer.dtype)));
  }
  int64_t lowest = a.offset;
  bool empty = false;
  auto extend = [&](const std::vector<int64_t>& strides, const std::vector<int64_t>& extents) {
    for (size_t d = 0; d < strides.size(); ++d) {
      if (extents[d] == 0) empty = true;
      if (strides[d] < 0) lowest += strides[d] * (extents[d] - 1);
    }
  };
  extend(a.parallel, nest.extents);
  extend(a.reduction, phase.extents);
  if (lowest < 0 && !empty) fail(nest, fmt::format("a {} reaches below its buffer", what));
}

void check_op(const LoopNest& nest, const Phase& phase, size_t index) {
  const Expr& e = phase.exprs[index];
  if (e.op == nullptr) fail(nest, fmt::format("%{} has no op", index));
  if (e.op->op_class != ir::OpClass::elementwise) {
    fail(nest, fmt::format("%{}: {} is not an element-wise op", index, e.op->name));
  }
  for (int arg : e.args) {
    if (arg < 0 || static_cast<size_t>(arg) >= index) {
      fail(nest, fmt::format("%{} uses %{}, which does not come before it", index, arg));
    }
  }
  std::vector<TensorSpec> specs;
  for (int arg : e.args) specs.push_back({phase.exprs[static_cast<size_t>(arg)].dtype, {}});
  const ir::Attrs attrs{{"dtype", e.dtype}};  // of convert and bitcast
  DType dtype = e.dtype;
  try {
    dtype = e.op->infer({specs, attrs, {}})[0].dtype;
  } catch (const Error& error) {
    fail(nest, fmt::format("%{}: {}", index, error.what()));
  }
  if (dtype != e.dtype) {
    fail(nest, fmt::format("%{}: {} gives {}, not {}", index, e.op->name, dtype_name(dtype),
                           dtype_name(e.dtype)));
  }
}

void check_row(const LoopNest& nest, size_t phase, const Expr& e) {
  if (e.row_phase < 0 || static_cast<size_t>(e.row_phase) >= phase) {
    fail(nest, fmt::format("phase {} uses a row value of phase {}", phase, e.row_phase));
  }
  const Phase& from = nest.phases[static_cast<size_t>(e.row_phase)];
  if (e.row_index < 0 || static_cast<size_t>(e.row_index) >= from.reductions.size()) {
    fail(nest, fmt::format("phase {} has no reduction {}", e.row_phase, e.row_index));
  }
  const int value = from.reductions[static_cast<size_t>(e.row_index)].value;
  const DType dtype = from.exprs[static_cast<size_t>(value)].dtype;
  if (e.dtype != dtype && !(is_half(dtype) && e.dtype == DType::float32)) {
    fail(nest,
         fmt::format("a row value of {} is read as {}", dtype_name(dtype), dtype_name(e.dtype)));
  }
}

void check_phase(const LoopNest& nest, size_t index) {
  const Phase& phase = nest.phases[index];
  for (int64_t extent : phase.extents) {
    if (extent < 0) fail(nest, "a reduction extent is negative");
  }
  for (size_t i = 0; i < phase.exprs.size(); ++i) {
    const Expr& e = phase.exprs[i];
    switch (e.kind) {
      case Expr::Kind::load:
        check_buffer(nest, phase, e.access, e.dtype, "load");
        break;
      case Expr::Kind::index:
        check_access(nest, phase, e.access, "index");
        if (e.dtype == DType::boolean) fail(nest, "an index is boolean");
        break;
      case Expr::Kind::constant:
        break;
      case Expr::Kind::op:
        check_op(nest, phase, i);
        break;
      case Expr::Kind::row:
        check_row(nest, index, e);
        break;
    }
  }
  auto check_value = [&](int value, const char* what) {
    if (value < 0 || static_cast<size_t>(value) >= phase.exprs.size()) {
      fail(nest, fmt::format("a {} of %{}, which does not exist", what, value));
    }
    return phase.exprs[static_cast<size_t>(value)].dtype;
  };
  for (const Store& store : phase.stores) {
    if (check_value(store.value, "store") != store.dtype) {
      fail(nest, fmt::format("a store of %{} as {}", store.value, dtype_name(store.dtype)));
    }
    check_buffer(nest, phase, store.access, store.dtype, "store");
    if (!nest.buffers[static_cast<size_t>(store.access.buffer)].written) {
      fail(nest,
           fmt::format("a store to b{}, which is not marked as written", store.access.buffer));
    }
  }
  for (const Reduction& reduction : phase.reductions) {
    const DType dtype = check_value(reduction.value, "reduction");
    const bool logical = reduction.fold == Fold::any || reduction.fold == Fold::all;
    if (logical != (dtype == DType::boolean)) {
      fail(nest, fmt::format("{} of {}", fold_name(reduction.fold), dtype_name(dtype)));
    }
  }
}

}  // namespace

const char* fold_name(Fold fold) {
  switch (fold) {
    case Fold::sum:
      return "sum";
    case Fold::prod:
      return "prod";
    case Fold::max:
      return "max";
    case Fold::min:
      return "min";
    case Fold::any:
      return "any";
    case Fold::all:
      break;
  }
  return "all";
}

int64_t LoopNest::work() const {
  int64_t points = 0;
  for (const Phase& phase : phases) points += product(phase.extents);
  return product(extents) * points;
}

std::string print(const LoopNest& nest) {
  std::string out;
  out.reserve(1024);
  auto it = std::back_inserter(out);
  fmt::format_to(it, "parallel [{}]\n", fmt::join(nest.extents, ", "));
  for (size_t b = 0; b < nest.buffers.size(); ++b) {
    fmt::format_to(it, "  b{}: {}{}\n", b, dtype_name(nest.buffers[b].dtype),
                   nest.buffers[b].written ? " written" : "");
  }
  for (const Phase& phase : nest.phases) {
    fmt::format_to(it, "  phase [{}]\n", fmt::join(phase.extents, ", "));
    for (size_t i = 0; i < phase.exprs.size(); ++i) {
      fmt::format_to(it, "    %{}: {} = ", i, dtype_name(phase.exprs[i].dtype));
      print_expr(out, phase.exprs[i]);
      out += '\n';
    }
    for (const Store& store : phase.stores) {
      fmt::format_to(it, "    store b{}[", store.access.buffer);
      print_address(out, store.access);
      fmt::format_to(it, "] = %{}\n", store.value);
    }
    for (const Reduction& r : phase.reductions) {
      fmt::format_to(it, "    {}(%{})\n", fold_name(r.fold), r.value);
    }
  }
  return out;
}

void verify(const LoopNest& nest) {
  constexpr size_t kMaxRank = 31;  // of either space: the code generator keeps dims in a bit set
  for (int64_t extent : nest.extents) {
    if (extent < 0) fail(nest, "a parallel extent is negative");
  }
  if (nest.extents.size() > kMaxRank) fail(nest, "too many parallel dimensions");
  for (size_t p = 0; p < nest.phases.size(); ++p) {
    if (nest.phases[p].extents.size() > kMaxRank) fail(nest, "too many reduction dimensions");
    check_phase(nest, p);
  }
}

}  // namespace antler::compiler
