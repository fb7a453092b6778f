#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "antler/core/feed.h"
#include "antler/core/nest.h"
#include "antler/runtime/program.h"

namespace antler {

struct FunctionOptions {
  std::string name = "function";
  bool jit_compile = true;   ///< false: no fusion across ops
  bool run_eagerly = false;  ///< true: op by op, untraced
};

/// A C++ function over tensors, traced once per signature (structure, dtypes, shapes), compiled and
/// cached; TensorFlow's tf.function. What it reads and assigns of variables becomes part of the
/// program. A handle. Thread-safe.
class Function {
 public:
  using Body = std::function<Nest(const Nest& arguments)>;
  /// Told of the outputs of a step; their arrays are overwritten by the next step.
  using StepOutputs = std::function<void(const Nest& outputs)>;
  struct State;
  Function() = default;
  explicit Function(Body body, FunctionOptions options = {});
  bool defined() const { return state_ != nullptr; }

  /// Runs the body, compiled.
  Nest operator()(const Nest& arguments) const;
  /// The same on a list of arguments.
  template <std::convertible_to<Nest>... Others>
  Nest operator()(const Nest& first, const Nest& second, const Others&... others) const {
    return (*this)(Nest(std::vector<Nest>{first, second, Nest(others)...}));
  }
  /// The function for one signature: no more look-ups.
  class Specialization {
   public:
    bool defined() const { return compiled_ != nullptr; }
    /// Up to `n` steps in one call on batches of `feed`. Returns the number of steps done;
    /// `outputs` are those of the last one (unchanged when there was none); `each_step`, if given,
    /// gets those of every one.
    int64_t run(int64_t n, BatchFeed& feed, Nest& outputs, const StepOutputs& each_step = {}) const;
    Program& program() const;

   private:
    friend class Function;
    std::shared_ptr<const void> compiled_;
    std::shared_ptr<State> state_;
    Nest example_;
  };
  /// Traces and compiles for arguments like `example` (their structure, dtypes and shapes matter,
  /// not their elements).
  Specialization specialize(const Nest& example) const;

  /// How often the body was traced.
  int64_t trace_count() const;

 private:
  std::shared_ptr<State> state_;
};

/// TensorFlow's name and namespace: std::function is never in the way.
namespace tf {

/// Wraps a function of a list of tensors.
Function function(std::function<Tensors(const Tensors&)> body, FunctionOptions options = {});
/// Wraps a function of any structure.
Function function(Function::Body body, FunctionOptions options = {});
/// Wraps a function of two to four tensors (or trees of them), which is then called with as many:
///
///     const Function step = tf::function([&](const Tensor& x, const Tensor& y) { ...; return loss;
///     }); const Tensor loss = step(x, y);
template <class F>
requires std::is_invocable_r_v<Nest, F&, const Nest&, const Nest&> Function
function(F body, FunctionOptions options = {}) {
  return Function(
      [body = std::move(body)](const Nest& a) -> Nest {
        const auto parts = a.unpack<2>();
        return body(parts[0], parts[1]);
      },
      std::move(options));
}
template <class F>
requires std::is_invocable_r_v<Nest, F&, const Nest&, const Nest&, const Nest&> Function
function(F body, FunctionOptions options = {}) {
  return Function(
      [body = std::move(body)](const Nest& a) -> Nest {
        const auto parts = a.unpack<3>();
        return body(parts[0], parts[1], parts[2]);
      },
      std::move(options));
}
template <class F>
requires std::is_invocable_r_v<Nest, F&, const Nest&, const Nest&, const Nest&, const Nest&>
    Function function(F body, FunctionOptions options = {}) {
  return Function(
      [body = std::move(body)](const Nest& a) -> Nest {
        const auto parts = a.unpack<4>();
        return body(parts[0], parts[1], parts[2], parts[3]);
      },
      std::move(options));
}

}  // namespace tf

/// Installs the CPU executor for eager operations. Called by everything that compiles; harmless to
/// repeat.
void initialize_runtime();

}  // namespace antler
