#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler {

/// Options of GradientTape.
struct GradientTapeOptions {
  bool persistent = false;               ///< gradient() may be called more than once
  bool watch_accessed_variables = true;  ///< trainable variables that are read are watched
};

/// What gradient() gives for a source that does not influence the target.
enum class UnconnectedGradients : uint8_t { none, zero };

/// Records the operations of this thread, eager or traced, from construction until gradient() or
/// destruction (TensorFlow's GradientTape; the scope stands for Python's `with`). Tapes nest: a
/// tape records the gradient computations of an inner one, which gives gradients of gradients.
class GradientTape {
 public:
  explicit GradientTape(const GradientTapeOptions& options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Makes a tensor a source of gradients. Throws ValueError when its dtype is not floating.
  void watch(const Tensor& tensor);
  void watch(const Variable& variable);

  /// d(sum of target) / d(source) for each source. An undefined tensor where a source does not
  /// influence the target (zeros under UnconnectedGradients::zero). Throws RuntimeError on a second
  /// call of a tape that is not persistent.
  Tensor gradient(const Tensor& target, const Tensor& source,
                  UnconnectedGradients unconnected = {});
  Tensors gradient(const Tensor& target, const Tensors& sources,
                   UnconnectedGradients unconnected = {});
  Tensors gradient(const Tensor& target, const Variables& sources,
                   UnconnectedGradients unconnected = {});
  /// Several targets; `output_gradients` weigh them (undefined = ones).
  Tensors gradient(const Tensors& targets, const Tensors& sources, const Tensors& output_gradients,
                   UnconnectedGradients unconnected = {});
  /// d target[i] / d source[j]; shape target.shape + source.shape.
  Tensor jacobian(const Tensor& target, const Tensor& source);

  /// Trainable variables that were read while recording, in order of first reading.
  Variables watched_variables() const;
  /// Forgets all that was recorded.
  void reset();

  /// Suspends recording while it lives.
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

/// The functional form: value of `f` and its gradients by `variables`.
struct ValueAndGrad {
  Tensor value;
  Tensors gradients;
};
ValueAndGrad value_and_grad(const std::function<Tensor()>& f, const Variables& variables);

/// Calls `forward(inputs)` with its gradient replaced: `backward(inputs, outputs,
/// output_gradients)` gives one gradient per input (undefined = none). TensorFlow's
/// custom_gradient.
Tensors custom_gradient(const std::function<Tensors(const Tensors& inputs)>& forward,
                        const std::function<Tensors(const Tensors& inputs, const Tensors& outputs,
                                                    const Tensors& output_gradients)>& backward,
                        const Tensors& inputs);

}  // namespace antler
