#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler {

/// Options of GradientTape.
struct GradientTapeOptions {
  bool persistent = false;               ///< gradient() may be called more than once
  bool watch_accessed_variables = true;  ///< watches all trainable variables that are read
};

/// What gradient() returns for a source that does not influence the target: undefined, or zeros.
enum class UnconnectedGradients : uint8_t { none, zero };

/// The argument of GradientTape::gradient() by name:
/// `kw::unconnected_gradients = UnconnectedGradients::zero`.
struct GradientOptions {
  /// The gradient of a source that does not influence the target.
  UnconnectedGradients unconnected_gradients = UnconnectedGradients::none;
};

/// The gradients of N sources that are named in braces; they can be named in brackets:
/// `auto [dw, db] = tape.gradient(loss, {w, b});`.
template <size_t N>
class Gradients : public Tensors {
 public:
  explicit Gradients(Tensors gradients) : Tensors(std::move(gradients)) {}
  template <size_t I>
  const Tensor& get() const {
    return (*this)[I];
  }
  /// The same, as for other results of several parts.
  template <size_t M>
  Gradients unpack() const {
    static_assert(M == N, "the number of gradients is that of the sources");
    return *this;
  }
};

/// TensorFlow's GradientTape: records the ops of this thread, eager or traced, from construction
/// until gradient() or destruction. The C++ scope replaces Python's `with`. Tapes nest: an
/// outer tape records the gradient computations of inner ones, for higher-order gradients.
class GradientTape {
 public:
  explicit GradientTape(const GradientTapeOptions& options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Makes a tensor a source of gradients. Throws ValueError if its dtype is not floating-point. A
  /// watched number, `Tensor x = 2.0`, keeps its dtype like an array; it no longer adapts to the
  /// dtypes that it is combined with.
  void watch(const Tensor& tensor);
  void watch(const Variable& variable);

  /// d(sum of target) / d(source) for each source. Undefined for a source that does not influence
  /// the target, unless zeros are asked for. Throws RuntimeError on the second call of a
  /// non-persistent tape.
  Tensor gradient(const Tensor& target, const Tensor& source, GradientOptions options = {});
  Tensor gradient(const Tensor& target, const Variable& source, GradientOptions options = {});
  Tensors gradient(const Tensor& target, const Tensors& sources, GradientOptions options = {});
  Tensors gradient(const Tensor& target, const Variables& sources, GradientOptions options = {});
  template <class T, size_t N>
  requires(N > 1 && (std::same_as<T, Tensor> || std::same_as<T, Variable>)) Gradients<N> gradient(
      const Tensor& target, const T (&sources)[N], GradientOptions options = {}) {
    return Gradients<N>(gradient(target, std::vector<T>(sources, sources + N), options));
  }
  /// For several targets, weighted by `output_gradients` (undefined means ones).
  Tensors gradient(const Tensors& targets, const Tensors& sources, const Tensors& output_gradients,
                   GradientOptions options = {});
  /// d target[i] / d source[j]; shape target.shape + source.shape.
  Tensor jacobian(const Tensor& target, const Tensor& source);
  /// d target[b, i] / d source[b, j] for each sample b: [batch, i..., j...]. Each sample of the
  /// target must depend on that of the source alone. Throws ValueError if the batches differ.
  Tensor batch_jacobian(const Tensor& target, const Tensor& source);

  /// Variables that were read while recording, in order of the first read.
  Variables watched_variables() const;
  /// Discards everything recorded.
  void reset();

  /// Suspends recording for its lifetime.
  class StopRecording {
   public:
    explicit StopRecording(GradientTape& tape);
    ~StopRecording();
    StopRecording(const StopRecording&) = delete;
    StopRecording& operator=(const StopRecording&) = delete;

   private:
    GradientTape& tape_;
    bool resumed_;
  };

 private:
  friend Tensors custom_gradient(
      const std::function<Tensors(const Tensors&)>&,
      const std::function<Tensors(const Tensors&, const Tensors&, const Tensors&)>&,
      const Tensors&);
  struct State;
  std::unique_ptr<State> state_;
};

/// The value of `f` and its gradients with respect to `variables`.
struct ValueAndGrad {
  Tensor value;
  Tensors gradients;
};
ValueAndGrad value_and_grad(const std::function<Tensor()>& f, const Variables& variables);

/// TensorFlow's custom_gradient: calls `forward(inputs)`, whose gradient is `backward(inputs,
/// outputs, output_gradients)`. That returns one gradient per input; undefined means none.
Tensors custom_gradient(const std::function<Tensors(const Tensors& inputs)>& forward,
                        const std::function<Tensors(const Tensors& inputs, const Tensors& outputs,
                                                    const Tensors& output_gradients)>& backward,
                        const Tensors& inputs);

/// The same in the style of Keras and TensorFlow. `f(x...)` returns a pair: its value, and a
/// function that maps the gradient of the value to the gradients of the arguments (a Tensor, or
/// Tensors if there are several). The result is a function that returns only the value of `f`. `f`
/// runs once more for the gradient.
///
///     const auto round_through = custom_gradient([](const Tensor& x) {
///       return std::pair(ops::round(x), [](const Tensor& upstream) { return upstream; });
///     });
template <class F>
auto custom_gradient(F f) {
  return [f = std::move(f)](const std::convertible_to<Tensor> auto&... xs) {
    constexpr size_t kCount = sizeof...(xs);
    const auto on = [f](const Tensors& inputs) {
      return [&]<size_t... I>(std::index_sequence<I...>) { return f(inputs[I]...); }
      (std::make_index_sequence<kCount>());
    };
    return custom_gradient([on](const Tensors& inputs) { return Tensors{on(inputs).first}; },
                           [on](const Tensors& inputs, const Tensors&, const Tensors& upstream) {
                             auto gradients = on(inputs).second(upstream[0]);
                             if constexpr (std::is_convertible_v<decltype(gradients), Tensor>) {
                               return Tensors{gradients};
                             } else {
                               return Tensors(gradients);
                             }
                           },
                           Tensors{Tensor(xs)...})[0];
  };
}

}  // namespace antler

template <std::size_t N>
struct std::tuple_size<antler::Gradients<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, std::size_t N>
struct std::tuple_element<I, antler::Gradients<N>> {
  using type = const antler::Tensor;
};
