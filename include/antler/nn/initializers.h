#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/initializer.h"

/// Keras's initializers, by Keras's names. An object gives the same values each time it is used
/// with the same shape. A name ("he_normal") creates a new object at each use.
namespace antler::initializers {

/// Options of the special cases of VarianceScaling, such as GlorotUniform.
struct SeedOptions {
  std::optional<int64_t> seed =
      {};  ///< not given: the next seed of the process (see set_random_seed)
  /// The axes whose sizes are multiplied to the fan-in. Used only if both lists are given.
  std::optional<AxisList> input_axes = {};
  std::optional<AxisList> output_axes = {};  ///< likewise for the fan-out
};

/// All zeros.
class Zeros : public Initializer {
 public:
  Zeros();
};
/// All ones.
class Ones : public Initializer {
 public:
  Ones();
};
/// Options of Constant.
struct ConstantOptions {
  double value = 0;  ///< of all elements
};
/// The same number everywhere.
class Constant : public Initializer {
 public:
  explicit Constant(double value = 0);
  /// An array that broadcasts to the shape of the weight. (A template, so that options in braces do
  /// not convert to an array.)
  template <std::same_as<Tensor> T>
  explicit Constant(const T& value) : Constant(of_array(value)) {}
  explicit Constant(const ConstantOptions& options) : Constant(options.value) {}
  ANTLER_KEYWORD_CONSTRUCTOR(Constant, ConstantOptions)

 private:
  explicit Constant(Initializer initializer) : Initializer(std::move(initializer)) {}
  static Constant of_array(const Tensor& value);
};
/// Options of Identity.
struct IdentityOptions {
  double gain = 1;  ///< factor
};
/// gain on the diagonal, zeros elsewhere; rank 2 only.
class Identity : public Initializer {
 public:
  explicit Identity(double gain = 1);
  explicit Identity(const IdentityOptions& options) : Identity(options.gain) {}
  ANTLER_KEYWORD_CONSTRUCTOR(Identity, IdentityOptions)
};

/// Options of RandomNormal and TruncatedNormal.
struct NormalOptions {
  double mean = 0;       ///< of the distribution
  double stddev = 0.05;  ///< standard deviation
  std::optional<int64_t> seed = {};
};
/// Normally distributed numbers.
class RandomNormal : public Initializer {
 public:
  explicit RandomNormal(const NormalOptions& options = {});
  RandomNormal(double mean, double stddev, NormalOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(RandomNormal, NormalOptions, double, double)
};
/// Normally distributed numbers; those beyond two standard deviations are drawn again.
class TruncatedNormal : public Initializer {
 public:
  explicit TruncatedNormal(const NormalOptions& options = {});
  TruncatedNormal(double mean, double stddev, NormalOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(TruncatedNormal, NormalOptions, double, double)
};

/// Options of RandomUniform.
struct UniformOptions {
  double minval = -0.05;  ///< smallest value
  double maxval = 0.05;   ///< values are below it
  std::optional<int64_t> seed = {};
};
/// Uniformly distributed numbers.
class RandomUniform : public Initializer {
 public:
  explicit RandomUniform(const UniformOptions& options = {});
  RandomUniform(double minval, double maxval, UniformOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(RandomUniform, UniformOptions, double, double)
};

/// Options of VarianceScaling.
struct VarianceScalingOptions {
  double scale = 1;                               ///< above 0
  std::string mode = "fan_in";                    ///< or "fan_out", "fan_avg"
  std::string distribution = "truncated_normal";  ///< or "untruncated_normal", "uniform"
  std::optional<int64_t> seed = {};
  /// The axes whose sizes are multiplied to the fan-in. Used only if both lists are given.
  std::optional<AxisList> input_axes = {};
  std::optional<AxisList> output_axes = {};  ///< likewise for the fan-out
};
/// Random numbers of variance scale / fan. The fans of a kernel [..., in, out] are in and out, each
/// times the product of the other dimensions.
class VarianceScaling : public Initializer {
 public:
  /// Throws ValueError for a scale <= 0 and for unknown modes and distributions.
  explicit VarianceScaling(const VarianceScalingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(VarianceScaling, VarianceScalingOptions)
};
/// VarianceScaling with scale 1 and mode "fan_avg" (Glorot and Bengio 2010).
class GlorotNormal : public Initializer {
 public:
  explicit GlorotNormal(const SeedOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlorotNormal, SeedOptions)
};
/// The same, uniform.
class GlorotUniform : public Initializer {
 public:
  explicit GlorotUniform(const SeedOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlorotUniform, SeedOptions)
};
/// VarianceScaling with scale 2 and mode "fan_in" (He et al. 2015).
class HeNormal : public Initializer {
 public:
  explicit HeNormal(const SeedOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(HeNormal, SeedOptions)
};
/// The same, uniform.
class HeUniform : public Initializer {
 public:
  explicit HeUniform(const SeedOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(HeUniform, SeedOptions)
};
/// VarianceScaling with scale 1 and mode "fan_in" (LeCun et al. 1998).
class LecunNormal : public Initializer {
 public:
  explicit LecunNormal(const SeedOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(LecunNormal, SeedOptions)
};
/// The same, uniform.
class LecunUniform : public Initializer {
 public:
  explicit LecunUniform(const SeedOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(LecunUniform, SeedOptions)
};

/// Options of Orthogonal.
struct OrthogonalOptions {
  double gain = 1;  ///< factor
  std::optional<int64_t> seed = {};
};
/// Orthogonal rows or columns of the matrix [all but the last dimension, last dimension] (Saxe et
/// al. 2014).
class Orthogonal : public Initializer {
 public:
  explicit Orthogonal(const OrthogonalOptions& options = {});
  explicit Orthogonal(double gain, OrthogonalOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Orthogonal, OrthogonalOptions, double)
};

/// Options of STFT.
struct STFTOptions {
  std::string side = "real";                   ///< or "imag"
  std::optional<std::string> window = "hann";  ///< SciPy's name of a window; not given: none
  std::optional<std::string> scaling =
      "density";          ///< divides by sqrt(sum w^2); "spectrum": by sum |w|; not given: by 1
  bool periodic = false;  ///< the window is periodic
};
/// Kernel [frame_length, channels, fft_length / 2 + 1] of a short-time Fourier transform: windowed
/// cosines or sines.
class STFT : public Initializer {
 public:
  /// Throws ValueError for unknown names.
  explicit STFT(const STFTOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(STFT, STFTOptions)
};

/// The initializer with this name: class name, snake-case name or alias. Throws ValueError.
Initializer get(const std::string& name);
/// Registers a function under a name, so that loaded models find it.
void register_initializer(const std::string& name, Initializer::Function function);
/// Converts to Keras's form, {"class_name", "config"}, or null if nothing was given. deserialize()
/// also takes a name, and throws ValueError for an unknown class.
Json serialize(const Initializer& initializer);
Initializer deserialize(const Json& json);

}  // namespace antler::initializers
