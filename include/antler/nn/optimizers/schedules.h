#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/required.h"
#include "antler/nn/by_position.h"
#include "antler/nn/optimizer.h"

/// Learning rates as functions of the step s (the number of updates before this one).
namespace antler::optimizers::schedules {

/// A number of steps, which need not be whole. Configurations keep integers as integers.
class Steps {
 public:
  template <std::integral I>
  Steps(I steps)  // NOLINT(google-explicit-constructor)
      : value_(static_cast<double>(steps)), whole_(true) {}
  template <std::floating_point F>
  Steps(F steps)  // NOLINT(google-explicit-constructor)
      : value_(static_cast<double>(steps)) {}
  double value() const { return value_; }
  bool whole() const { return whole_; }

 private:
  double value_;
  bool whole_ = false;
};

/// Options of ExponentialDecay.
struct ExponentialDecayOptions {
  bool staircase = false;  ///< round s / decay_steps down
  std::string name = "ExponentialDecay";
};
/// Arguments by name; the first may be given by position.
struct ExponentialDecayArguments {
  std::optional<double> initial_learning_rate = {};  ///< required
  Required<Steps> decay_steps;                       ///< steps per period
  Required<double> decay_rate;                       ///< factor per period
  bool staircase = false;                            ///< the rate changes only after whole periods
  std::string name = "ExponentialDecay";
};
/// initial decay_rate^(s / decay_steps)
struct ExponentialDecay : LearningRateSchedule {
  ExponentialDecay(double initial_learning_rate, Steps decay_steps, double decay_rate,
                   const ExponentialDecayOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(ExponentialDecay, ExponentialDecayOptions, double, Steps, double)
  template <std::same_as<bool> Staircase>
  ExponentialDecay(double initial_learning_rate, Steps decay_steps, double decay_rate,
                   Staircase staircase)
      : ExponentialDecay(initial_learning_rate, decay_steps, decay_rate, {.staircase = staircase}) {
  }
  ExponentialDecay(double initial_learning_rate, ExponentialDecayArguments arguments)
      : ExponentialDecay(by_position<&ExponentialDecayArguments::initial_learning_rate>(
            "ExponentialDecay", std::move(arguments), initial_learning_rate)) {}
  /// Throws TypeError if a required argument is missing.
  explicit ExponentialDecay(const ExponentialDecayArguments& arguments);
  ANTLER_KEYWORD_CONSTRUCTORS(ExponentialDecay, ExponentialDecayArguments, double)
};

/// Options of InverseTimeDecay.
struct InverseTimeDecayOptions {
  bool staircase = false;  ///< the rate changes only after whole periods
  std::string name = "InverseTimeDecay";
};
/// Arguments by name; the first may be given by position.
struct InverseTimeDecayArguments {
  std::optional<double> initial_learning_rate = {};  ///< required
  Required<Steps> decay_steps;                       ///< steps per period
  Required<double> decay_rate;                       ///< factor per period
  bool staircase = false;                            ///< the rate changes only after whole periods
  std::string name = "InverseTimeDecay";
};
/// initial / (1 + decay_rate s / decay_steps)
struct InverseTimeDecay : LearningRateSchedule {
  InverseTimeDecay(double initial_learning_rate, Steps decay_steps, double decay_rate,
                   const InverseTimeDecayOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(InverseTimeDecay, InverseTimeDecayOptions, double, Steps, double)
  template <std::same_as<bool> Staircase>
  InverseTimeDecay(double initial_learning_rate, Steps decay_steps, double decay_rate,
                   Staircase staircase)
      : InverseTimeDecay(initial_learning_rate, decay_steps, decay_rate, {.staircase = staircase}) {
  }
  InverseTimeDecay(double initial_learning_rate, InverseTimeDecayArguments arguments)
      : InverseTimeDecay(by_position<&InverseTimeDecayArguments::initial_learning_rate>(
            "InverseTimeDecay", std::move(arguments), initial_learning_rate)) {}
  /// Throws TypeError if a required argument is missing.
  explicit InverseTimeDecay(const InverseTimeDecayArguments& arguments);
  ANTLER_KEYWORD_CONSTRUCTORS(InverseTimeDecay, InverseTimeDecayArguments, double)
};

/// Options of PiecewiseConstantDecay.
struct PiecewiseConstantDecayOptions {
  std::string name = "PiecewiseConstant";
};
/// values[i] while s <= boundaries[i], then the last value. Throws ValueError unless there is one
/// more value than there are boundaries.
struct PiecewiseConstantDecay : LearningRateSchedule {
  PiecewiseConstantDecay(std::vector<double> boundaries, std::vector<double> values,
                         const PiecewiseConstantDecayOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(PiecewiseConstantDecay, PiecewiseConstantDecayOptions,
                             std::vector<double>, std::vector<double>)
};

/// Options of PolynomialDecay.
struct PolynomialDecayOptions {
  double end_learning_rate = 0.0001;  ///< the rate after `decay_steps`
  double power = 1.0;                 ///< 1: a line
  bool cycle = false;                 ///< restart after each period, with a longer one
  std::string name = "PolynomialDecay";
};
/// Arguments by name; the first may be given by position.
struct PolynomialDecayArguments {
  std::optional<double> initial_learning_rate = {};  ///< required
  Required<Steps> decay_steps;                       ///< steps per period
  double end_learning_rate = 0.0001;                 ///< the rate after `decay_steps`
  double power = 1.0;                                ///< 1: a line
  bool cycle = false;  ///< restart after each period, with a longer one
  std::string name = "PolynomialDecay";
};
/// (initial - end)(1 - s / decay_steps)^power + end, and `end` after decay_steps.
struct PolynomialDecay : LearningRateSchedule {
  PolynomialDecay(double initial_learning_rate, Steps decay_steps,
                  const PolynomialDecayOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(PolynomialDecay, PolynomialDecayOptions, double, Steps)
  PolynomialDecay(double initial_learning_rate, Steps decay_steps, double end_learning_rate,
                  double power = 1)
      : PolynomialDecay(
            initial_learning_rate, decay_steps,
            PolynomialDecayOptions{.end_learning_rate = end_learning_rate, .power = power}) {}
  PolynomialDecay(double initial_learning_rate, PolynomialDecayArguments arguments)
      : PolynomialDecay(by_position<&PolynomialDecayArguments::initial_learning_rate>(
            "PolynomialDecay", std::move(arguments), initial_learning_rate)) {}
  /// Throws TypeError if a required argument is missing.
  explicit PolynomialDecay(const PolynomialDecayArguments& arguments);
  ANTLER_KEYWORD_CONSTRUCTORS(PolynomialDecay, PolynomialDecayArguments, double)
};

/// Options of CosineDecay.
struct CosineDecayOptions {
  double alpha = 0.0;  ///< lowest rate, as a fraction of the highest
  std::string name = "CosineDecay";
  std::optional<double> warmup_target = {};  ///< rate at the end of the warm-up
  Steps warmup_steps = 0;                    ///< steps from the initial rate to the target
};
/// Arguments by name; the first may be given by position.
struct CosineDecayArguments {
  std::optional<double> initial_learning_rate = {};  ///< required
  Required<Steps> decay_steps;                       ///< steps per period
  double alpha = 0.0;                                ///< lowest rate, as a fraction of the first
  std::string name = "CosineDecay";
  std::optional<double> warmup_target = {};  ///< rate after the warmup; not given: no warmup
  Steps warmup_steps = 0;                    ///< steps from the initial rate to the target
};
/// Half a cosine over decay_steps. With a warm-up target, the rate first grows linearly to it.
struct CosineDecay : LearningRateSchedule {
  CosineDecay(double initial_learning_rate, Steps decay_steps,
              const CosineDecayOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CosineDecay, CosineDecayOptions, double, Steps)
  CosineDecay(double initial_learning_rate, Steps decay_steps, double alpha)
      : CosineDecay(initial_learning_rate, decay_steps, CosineDecayOptions{.alpha = alpha}) {}
  CosineDecay(double initial_learning_rate, CosineDecayArguments arguments)
      : CosineDecay(by_position<&CosineDecayArguments::initial_learning_rate>(
            "CosineDecay", std::move(arguments), initial_learning_rate)) {}
  /// Throws TypeError if a required argument is missing.
  explicit CosineDecay(const CosineDecayArguments& arguments);
  ANTLER_KEYWORD_CONSTRUCTORS(CosineDecay, CosineDecayArguments, double)
};

/// Options of CosineDecayRestarts.
struct CosineDecayRestartsOptions {
  double t_mul = 2.0;  ///< factor between the lengths of successive periods
  double m_mul = 1.0;  ///< factor between their initial rates
  double alpha = 0.0;  ///< lowest rate, as a fraction of the first
  std::string name = "SGDRDecay";
};
/// Arguments by name; the first may be given by position.
struct CosineDecayRestartsArguments {
  std::optional<double> initial_learning_rate = {};  ///< required
  Required<Steps> first_decay_steps;                 ///< steps of the first period
  double t_mul = 2.0;  ///< factor between the lengths of successive periods
  double m_mul = 1.0;  ///< factor between their initial rates
  double alpha = 0.0;  ///< lowest rate, as a fraction of the first
  std::string name = "SGDRDecay";
};
/// Half cosines with restarts, Loshchilov and Hutter 2016.
struct CosineDecayRestarts : LearningRateSchedule {
  CosineDecayRestarts(double initial_learning_rate, Steps first_decay_steps,
                      const CosineDecayRestartsOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CosineDecayRestarts, CosineDecayRestartsOptions, double, Steps)
  CosineDecayRestarts(double initial_learning_rate, CosineDecayRestartsArguments arguments)
      : CosineDecayRestarts(by_position<&CosineDecayRestartsArguments::initial_learning_rate>(
            "CosineDecayRestarts", std::move(arguments), initial_learning_rate)) {}
  /// Throws TypeError if a required argument is missing.
  explicit CosineDecayRestarts(const CosineDecayRestartsArguments& arguments);
  ANTLER_KEYWORD_CONSTRUCTORS(CosineDecayRestarts, CosineDecayRestartsArguments, double)
};

/// A function of the step, written in ops. It cannot be loaded from a configuration.
LearningRateSchedule from_function(const std::string& name,
                                   std::function<Tensor(const Tensor& step)> function);

/// Converts to Keras's form, {"class_name", "config"}, and back. deserialize() throws ValueError
/// for an unknown class.
Json serialize(const LearningRateSchedule& schedule);
LearningRateSchedule deserialize(const Json& json);

}  // namespace antler::optimizers::schedules
