#include "runtime/nest_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "antler/core/dispatch.h"
#include "antler/ops/op_list.h"

namespace antler::test {

using compiler::Access;
using compiler::Expr;
using compiler::Fold;
using compiler::LoopNest;
using compiler::Phase;

int NestBuilder::buffer(DType dtype, bool written) {
  nest_.buffers.push_back({dtype, written});
  return static_cast<int>(nest_.buffers.size()) - 1;
}

NestBuilder& NestBuilder::phase(std::vector<int64_t> extents) {
  nest_.phases.push_back({std::move(extents), {}, {}, {}});
  return *this;
}

int NestBuilder::add(Expr expr) {
  auto& exprs = nest_.phases.back().exprs;
  exprs.push_back(std::move(expr));
  return static_cast<int>(exprs.size()) - 1;
}

int NestBuilder::load(int buffer, std::vector<int64_t> parallel, std::vector<int64_t> reduction,
                      int64_t offset) {
  Expr e;
  e.kind = Expr::Kind::load;
  e.dtype = nest_.buffers[static_cast<size_t>(buffer)].dtype;
  e.access = {buffer, offset, std::move(parallel), std::move(reduction)};
  return add(std::move(e));
}

int NestBuilder::index(DType dtype, std::vector<int64_t> parallel, std::vector<int64_t> reduction,
                       int64_t offset) {
  Expr e;
  e.kind = Expr::Kind::index;
  e.dtype = dtype;
  e.access = {0, offset, std::move(parallel), std::move(reduction)};
  return add(std::move(e));
}

int NestBuilder::number(double value, DType dtype) {
  Expr e;
  e.dtype = dtype;
  e.number = value;
  if (!is_floating(dtype)) e.integer = static_cast<int64_t>(value);
  return add(std::move(e));
}

int NestBuilder::op(const char* name, std::vector<int> args) {
  const DType dtype = nest_.phases.back().exprs[static_cast<size_t>(args.back())].dtype;
  return op(name, std::move(args), dtype);
}

int NestBuilder::op(const char* name, std::vector<int> args, DType dtype) {
  Expr e;
  e.kind = Expr::Kind::op;
  e.dtype = dtype;
  e.op = ops::find_op(name);
  e.args = std::move(args);
  return add(std::move(e));
}

int NestBuilder::row(int phase, int index, DType dtype) {
  Expr e;
  e.kind = Expr::Kind::row;
  e.dtype = dtype;
  e.row_phase = phase;
  e.row_index = index;
  return add(std::move(e));
}

void NestBuilder::store(int buffer, int value, std::vector<int64_t> parallel,
                        std::vector<int64_t> reduction, int64_t offset) {
  nest_.phases.back().stores.push_back({{buffer, offset, std::move(parallel), std::move(reduction)},
                                        nest_.buffers[static_cast<size_t>(buffer)].dtype,
                                        value});
}

int NestBuilder::fold(Fold fold, int value) {
  auto& reductions = nest_.phases.back().reductions;
  reductions.push_back({fold, value});
  return static_cast<int>(reductions.size()) - 1;
}

namespace {

using Index = std::vector<int64_t>;

/// The next index of a space in row-major order; false after the last one.
bool advance(Index& index, const std::vector<int64_t>& extents) {
  for (size_t d = extents.size(); d-- > 0;) {
    if (++index[d] < extents[d]) return true;
    index[d] = 0;
  }
  return false;
}

bool is_empty(const std::vector<int64_t>& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

int64_t address(const Access& a, const Index& parallel, const Index& reduction) {
  int64_t at = a.offset;
  for (size_t d = 0; d < parallel.size(); ++d) at += a.parallel[d] * parallel[d];
  for (size_t d = 0; d < reduction.size(); ++d) at += a.reduction[d] * reduction[d];
  return at;
}

void copy_element(const Tensor& from, int64_t i, const Tensor& to, int64_t j) {
  const size_t size = dtype_size(from.dtype());
  std::memcpy(static_cast<char*>(to.mutable_data()) + static_cast<size_t>(j) * size,
              static_cast<const char*>(from.data()) + static_cast<size_t>(i) * size, size);
}

/// Integers fold in 64 bits, which wraps around to the same bits; floats in double.
struct Accumulator {
  double number;
  int64_t integer;
};

Accumulator identity(Fold fold, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool with_sign = is_signed_integer(dtype);
  switch (fold) {
    case Fold::sum:
    case Fold::any:
      return {0, 0};
    case Fold::prod:
    case Fold::all:
      return {1, 1};
    case Fold::max: {
      const int64_t bits = static_cast<int64_t>(dtype_size(dtype)) * 8 - 1;
      return {-kInfinity, with_sign ? static_cast<int64_t>(~uint64_t{0} << bits) : 0};
    }
    case Fold::min:
      break;
  }
  const uint64_t bits = dtype_size(dtype) * 8 - (with_sign ? 1 : 0);
  return {kInfinity, static_cast<int64_t>(bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1)};
}

void accumulate(Fold fold, DType dtype, Accumulator& sum, double number, int64_t integer) {
  const bool less = is_unsigned_integer(dtype)
                        ? static_cast<uint64_t>(integer) < static_cast<uint64_t>(sum.integer)
                        : integer < sum.integer;
  switch (fold) {
    case Fold::sum:
      sum.number += number;
      sum.integer =
          static_cast<int64_t>(static_cast<uint64_t>(sum.integer) + static_cast<uint64_t>(integer));
      break;
    case Fold::prod:
      sum.number *= number;
      sum.integer =
          static_cast<int64_t>(static_cast<uint64_t>(sum.integer) * static_cast<uint64_t>(integer));
      break;
    case Fold::max:
      if (std::isnan(number) || number > sum.number) sum.number = number;
      if (!less) sum.integer = integer;
      break;
    case Fold::min:
      if (std::isnan(number) || number < sum.number) sum.number = number;
      if (less) sum.integer = integer;
      break;
    case Fold::any:
      sum.integer |= integer;
      break;
    case Fold::all:
      sum.integer &= integer;
      break;
  }
}

Tensor scalar_of(DType dtype, double number, int64_t integer) {
  Tensor t = Tensor::empty(dtype, {1});
  dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      t.mutable_data<T>()[0] = static_cast<T>(integer);
    } else {
      t.mutable_data<T>()[0] = static_cast<T>(static_cast<ComputeType<T>>(number));
    }
  });
  return t;
}

class Interpreter {
 public:
  Interpreter(const LoopNest& nest, const std::vector<Tensor>& buffers)
      : nest_(nest), buffers_(buffers), rows_(nest.phases.size()) {}

  void run() {
    if (is_empty(nest_.extents)) return;
    Index parallel(nest_.extents.size(), 0);
    do {
      for (size_t p = 0; p < nest_.phases.size(); ++p) phase(p, parallel);
    } while (advance(parallel, nest_.extents));
  }

 private:
  Tensor evaluate(const Expr& e, const Index& parallel, const Index& reduction,
                  const std::vector<Tensor>& values) const {
    Tensor out = Tensor::empty(e.dtype, {1});
    switch (e.kind) {
      case Expr::Kind::load:
        copy_element(buffers_[static_cast<size_t>(e.access.buffer)],
                     address(e.access, parallel, reduction), out, 0);
        return out;
      case Expr::Kind::index: {
        const int64_t at = address(e.access, parallel, reduction);
        return scalar_of(e.dtype, static_cast<double>(at), at);
      }
      case Expr::Kind::constant:
        return scalar_of(e.dtype, e.number, e.integer);
      case Expr::Kind::row: {
        const Accumulator& a =
            rows_[static_cast<size_t>(e.row_phase)][static_cast<size_t>(e.row_index)];
        return scalar_of(e.dtype, a.number, a.integer);
      }
      case Expr::Kind::op:
        break;
    }
    std::vector<Tensor> args;
    for (int arg : e.args) args.push_back(values[static_cast<size_t>(arg)]);
    ir::Attrs attrs{{"dtype", e.dtype}};
    e.op->reference({args, std::span(&out, 1), attrs, {}});
    return out;
  }

  void phase(size_t p, const Index& parallel) {
    const Phase& phase = nest_.phases[p];
    std::vector<Accumulator> sums;
    for (const auto& r : phase.reductions) {
      sums.push_back(identity(r.fold, phase.exprs[static_cast<size_t>(r.value)].dtype));
    }
    Index reduction(phase.extents.size(), 0);
    while (!is_empty(phase.extents)) {
      std::vector<Tensor> values;
      for (const Expr& e : phase.exprs) values.push_back(evaluate(e, parallel, reduction, values));
      for (const auto& store : phase.stores) {
        copy_element(values[static_cast<size_t>(store.value)], 0,
                     buffers_[static_cast<size_t>(store.access.buffer)],
                     address(store.access, parallel, reduction));
      }
      for (size_t r = 0; r < sums.size(); ++r) {
        const Tensor& value = values[static_cast<size_t>(phase.reductions[r].value)];
        const double number = value.item();
        int64_t integer = 0;
        dispatch(value.dtype(), [&]<class T>() {
          if constexpr (std::is_integral_v<T>) integer = static_cast<int64_t>(value.data<T>()[0]);
        });
        accumulate(phase.reductions[r].fold, value.dtype(), sums[r], number, integer);
      }
      if (!advance(reduction, phase.extents)) break;
    }
    rows_[p] = std::move(sums);
  }

  const LoopNest& nest_;
  const std::vector<Tensor>& buffers_;
  std::vector<std::vector<Accumulator>> rows_;
};

}  // namespace

void interpret(const LoopNest& nest, const std::vector<Tensor>& buffers) {
  Interpreter(nest, buffers).run();
}

Tensor random_tensor(DType dtype, int64_t size, uint64_t seed, double low, double high) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> numbers(low, high);
  Tensor t = Tensor::empty(dtype, {size});
  dispatch(dtype, [&]<class T>() {
    for (int64_t i = 0; i < size; ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        t.mutable_data<T>()[i] = (engine() & 1) != 0;
      } else if constexpr (std::is_integral_v<T>) {
        t.mutable_data<T>()[i] = static_cast<T>(static_cast<int64_t>(std::floor(numbers(engine))));
      } else {
        t.mutable_data<T>()[i] = static_cast<T>(static_cast<ComputeType<T>>(numbers(engine)));
      }
    }
  });
  return t;
}

Tensor copy(const Tensor& t) {
  Tensor c = Tensor::empty(t.dtype(), t.shape());
  if (t.bytes() > 0) std::memcpy(c.mutable_data(), t.data(), t.bytes());
  return c;
}

std::vector<void*> addresses(const std::vector<Tensor>& buffers) {
  std::vector<void*> result;
  result.reserve(buffers.size());
  for (const Tensor& t : buffers) result.push_back(t.mutable_data());
  return result;
}

void expect_close(const Tensor& actual, const Tensor& expected, double tolerance,
                  const std::string& what) {
  const std::vector<double> a = actual.to_doubles();
  const std::vector<double> e = expected.to_doubles();
  ASSERT_EQ(a.size(), e.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(e[i]) && std::isnan(a[i])) continue;
    if (a[i] == e[i]) continue;
    const double limit = tolerance * std::max(1.0, std::fabs(e[i]));
    ASSERT_LE(std::fabs(a[i] - e[i]), limit)
        << what << "\nelement " << i << ": " << a[i] << ", expected " << e[i];
  }
}

}  // namespace antler::test
