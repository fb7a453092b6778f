#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/activation.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/optional_list.h"

namespace antler {

/// Options of Activation.
struct ActivationOptions {
  ActivationFunction activation = {};  ///< a name or a function
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Applies a function to each element.
class Activation : public LayerOf<Activation, ActivationOptions> {
 public:
  explicit Activation(const ActivationFunction& activation, ActivationOptions options = {});
  explicit Activation(const ActivationOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Activation, ActivationOptions, const ActivationFunction&)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of ReLU.
struct ReLUOptions {
  std::optional<double> max_value = {};  ///< not given: no limit
  double negative_slope = 0;             ///< slope below the threshold
  double threshold = 0;                  ///< smaller x use negative_slope
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// min(x, max_value) where x >= threshold, else negative_slope * (x - threshold).
class ReLU : public LayerOf<ReLU, ReLUOptions> {
 public:
  /// Throws ValueError for negative options.
  explicit ReLU(const ReLUOptions& options = {});
  explicit ReLU(double max_value, ReLUOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(ReLU, ReLUOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of LeakyReLU.
struct LeakyReLUOptions {
  double negative_slope = 0.3;  ///< slope below 0
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x where x >= 0, else negative_slope * x.
class LeakyReLU : public LayerOf<LeakyReLU, LeakyReLUOptions> {
 public:
  /// Throws ValueError for a negative slope below 0.
  explicit LeakyReLU(const LeakyReLUOptions& options = {});
  explicit LeakyReLU(double negative_slope, LeakyReLUOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(LeakyReLU, LeakyReLUOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of PReLU.
struct PReLUOptions {
  Initializer alpha_initializer = "zeros";
  Regularizer alpha_regularizer = {};
  Constraint alpha_constraint = {};
  OptionalList<int64_t> shared_axes = {};  ///< axes along which alpha is shared
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x where x >= 0, else alpha * x, with a learned alpha (He et al. 2015). Weight: alpha, with the
/// shape of a sample, but size 1 along the shared axes.
class PReLU : public LayerOf<PReLU, PReLUOptions> {
 public:
  explicit PReLU(const PReLUOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(PReLU, PReLUOptions)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  Variable alpha_;
};

/// Options of ELU.
struct ELUOptions {
  double alpha = 1;  ///< the limit for x -> -infinity is -alpha
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x where x > 0, else alpha * (exp(x) - 1).
class ELU : public LayerOf<ELU, ELUOptions> {
 public:
  explicit ELU(const ELUOptions& options = {});
  explicit ELU(double alpha, ELUOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(ELU, ELUOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;
};

/// Options of Softmax.
struct SoftmaxOptions {
  AxisList axis = -1;  ///< several axes are normalized together
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// exp(x) / sum(exp(x)) along one axis or several. A mask (true = keep) of the input's shape, or
/// one that broadcasts, leaves elements out.
class Softmax : public LayerOf<Softmax, SoftmaxOptions> {
 public:
  explicit Softmax(const SoftmaxOptions& options = {});
  explicit Softmax(int64_t axis, SoftmaxOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Softmax, SoftmaxOptions, int64_t)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

}  // namespace antler
