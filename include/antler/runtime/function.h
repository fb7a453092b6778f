#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "antler/core/arity.h"
#include "antler/core/feed.h"
#include "antler/core/nest.h"
#include "antler/runtime/program.h"

namespace antler::ir {
class Graph;
}

namespace antler {

/// Options of Function.
struct FunctionOptions {
  std::string name = "function";
  bool jit_compile = true;   ///< false: no fusion across ops
  bool run_eagerly = false;  ///< true: op by op, not traced
};

/// Sets what the bodies of functions depend on besides arguments and variables: calls are traced
/// separately for each number that `variant` returns. For the library's own components.
void set_function_variant(int64_t (*variant)());

/// A C++ function over tensors that is traced and compiled once per signature (structure, dtypes,
/// shapes); TensorFlow's tf.function. Reads and assignments of variables become part of the
/// program. A handle. Thread-safe.
class Function {
 public:
  using Body = std::function<Nest(const Nest& arguments)>;
  /// Called with the outputs of a step. The next step overwrites their buffers.
  using StepOutputs = std::function<void(const Nest& outputs)>;
  struct State;
  Function() = default;
  explicit Function(Body body, FunctionOptions options = {});
  bool defined() const { return state_ != nullptr; }

  /// Traces and compiles on the first call with a signature, then runs the program.
  Nest operator()(const Nest& arguments) const;
  template <std::convertible_to<Nest>... Others>
  Nest operator()(const Nest& first, const Nest& second, const Others&... others) const {
    return (*this)(Nest(std::vector<Nest>{first, second, Nest(others)...}));
  }
  /// The function compiled for one signature: calls skip the cache lookup.
  class Specialization {
   public:
    bool defined() const { return compiled_ != nullptr; }
    /// Runs up to `n` steps on batches of `feed` and returns the number of steps done. Stores the
    /// outputs of the last step in `outputs` (unchanged if there was none); calls `each_step`, if
    /// given, after every step, or after every `period` steps: see Program::run().
    int64_t run(int64_t n, BatchFeed& feed, Nest& outputs, const StepOutputs& each_step = {},
                int64_t period = 0) const;
    Program& program() const;

   private:
    friend class Function;
    std::shared_ptr<const void> compiled_;
    std::shared_ptr<State> state_;
    Nest example_;
  };
  /// Traces and compiles for the structure, dtypes and shapes of `example`; its values are not
  /// read.
  Specialization specialize(const Nest& example) const;

  /// The graph of the function for the structure, dtypes and shapes of `example`, not compiled. Its
  /// inputs are the defined leaves of the arguments, its outputs those of `outputs`.
  struct Trace {
    std::shared_ptr<const ir::Graph> graph;
    Nest outputs;  ///< leaves are symbolic
  };
  Trace trace(const Nest& example) const;

  int64_t trace_count() const;
  /// Identifies the function without keeping it alive.
  std::weak_ptr<const void> identity() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

namespace internal {
/// A function of nests that returns a nest, a std::pair or std::tuple of nests, or nothing.
template <class F, class... Arguments>
concept NestFunction = std::is_invocable_r_v<void, F&, Arguments...> &&
    (std::is_void_v<std::invoke_result_t<F&, Arguments...>> ||
     requires(F & body, Arguments... arguments) { to_nest(body(arguments...)); });

/// The number of tensors or nests that F takes, if there are several; else 0.
template <class F>
inline constexpr size_t kArity = arity<F, Nest, 2>();

/// The body of a Function that takes N arguments.
template <size_t N, class F>
Function::Body on_parts(F body) {
  return [body = std::move(body)](const Nest& arguments) -> Nest {
    const auto parts = arguments.unpack<N>();
    return std::apply(
        [&](const auto&... part) -> Nest {
          if constexpr (std::is_void_v<decltype(body(part...))>) {
            body(part...);
            return {};
          } else {
            return to_nest(body(part...));
          }
        },
        parts);
  };
}
}  // namespace internal

/// In a separate namespace, as in TensorFlow, so that it never clashes with std::function.
namespace tf {

/// Wraps a function of a list of tensors.
Function function(std::function<Tensors(const Tensors&)> body, FunctionOptions options = {});
/// Wraps a function of any structure.
Function function(Function::Body body, FunctionOptions options = {});
/// Wraps a function without arguments; the result is called as `step()`.
template <class F>
requires internal::NestFunction<F> std::function<Nest()> function(F body,
                                                                  FunctionOptions options = {}) {
  const Function compiled(
      [body = std::move(body)](const Nest&) -> Nest {
        if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
          body();
          return {};
        } else {
          return to_nest(body());
        }
      },
      std::move(options));
  return [compiled] { return compiled(Nest(std::vector<Nest>())); };
}
/// Wraps a function of one to twelve tensors or nests, which may return nothing, or several as
/// std::pair or std::tuple. The result takes the same number of arguments:
///
///     const Function step = tf::function([&](const Tensor& x, const Tensor& y) { ... });
///     const Tensor loss = step(x, y);
template <class F>
requires(internal::NestFunction<F, const Nest&> &&
         !std::is_invocable_r_v<Nest, F&, const Nest&>) Function
    function(F body, FunctionOptions options = {}) {
  return function(Function::Body([body = std::move(body)](const Nest& a) -> Nest {
                    if constexpr (std::is_void_v<decltype(body(a))>) {
                      body(a);
                      return {};
                    } else {
                      return to_nest(body(a));
                    }
                  }),
                  std::move(options));
}
template <class F>
requires(internal::kArity<F> != 0) Function function(F body, FunctionOptions options = {}) {
  return Function(internal::on_parts<internal::kArity<F>>(std::move(body)), std::move(options));
}

}  // namespace tf

/// Installs the CPU executor for eager ops. Function calls it; repeated calls do nothing.
void initialize_runtime();

}  // namespace antler
