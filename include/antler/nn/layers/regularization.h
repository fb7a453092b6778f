#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/optional_shape.h"
#include "antler/nn/layer_of.h"

namespace antler {

/// Options of Dropout and AlphaDropout.
struct DropoutOptions {
  double rate = 0;                 ///< fraction of the elements that are set to 0, in [0, 1]
  OptionalShape noise_shape = {};  ///< shape of the mask; None: as the input, 1: shared
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// In training, sets random elements to 0 and divides the others by 1 - rate; else returns its
/// input.
class Dropout : public LayerOf<Dropout, DropoutOptions> {
 public:
  Dropout();  ///< assigned later
  /// Throws ValueError unless 0 <= rate <= 1, and for entries of the noise shape that are neither
  /// -1 nor positive.
  explicit Dropout(double rate, DropoutOptions options = {});
  explicit Dropout(const DropoutOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Dropout, DropoutOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
};

/// In training, sets random elements to the negative saturation value of SELU, then scales and
/// shifts the result to preserve mean and variance (Klambauer et al. 2017).
class AlphaDropout : public LayerOf<AlphaDropout, DropoutOptions> {
 public:
  /// Throws ValueError unless 0 <= rate <= 1.
  explicit AlphaDropout(double rate, DropoutOptions options = {});
  explicit AlphaDropout(const DropoutOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AlphaDropout, DropoutOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
};

/// Options of SpatialDropout1D, SpatialDropout2D and SpatialDropout3D.
struct SpatialDropoutOptions {
  double rate = 0;                            ///< fraction of the channels to drop, in [0, 1]
  std::string data_format = "channels_last";  ///< or "channels_first"; 1D: always the last
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the spatial dropouts: dropout of whole channels (Tompson et al. 2014).
class BaseSpatialDropout : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  /// Throws ValueError unless 0 <= rate <= 1.
  BaseSpatialDropout(int rank, const char* class_name, const SpatialDropoutOptions& options);

 private:
  int rank_;
  SpatialDropoutOptions options_;
  std::optional<SeedGenerator> seed_generator_;
};

/// Dropout of whole channels of [batch, steps, channels].
class SpatialDropout1D : public LayerBase<SpatialDropout1D, BaseSpatialDropout> {
 public:
  explicit SpatialDropout1D(double rate, SpatialDropoutOptions options = {});
  explicit SpatialDropout1D(const SpatialDropoutOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SpatialDropout1D, SpatialDropoutOptions, double)
};
/// Dropout of whole channels of [batch, height, width, channels].
class SpatialDropout2D : public LayerBase<SpatialDropout2D, BaseSpatialDropout> {
 public:
  explicit SpatialDropout2D(double rate, SpatialDropoutOptions options = {});
  explicit SpatialDropout2D(const SpatialDropoutOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SpatialDropout2D, SpatialDropoutOptions, double)
};
/// Dropout of whole channels of [batch, depth, height, width, channels].
class SpatialDropout3D : public LayerBase<SpatialDropout3D, BaseSpatialDropout> {
 public:
  explicit SpatialDropout3D(double rate, SpatialDropoutOptions options = {});
  explicit SpatialDropout3D(const SpatialDropoutOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SpatialDropout3D, SpatialDropoutOptions, double)
};

/// Options of GaussianNoise.
struct GaussianNoiseOptions {
  double stddev = 0;  ///< in [0, 1]
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// In training, adds normal noise of mean 0.
class GaussianNoise : public LayerOf<GaussianNoise, GaussianNoiseOptions> {
 public:
  /// Throws ValueError unless 0 <= stddev <= 1.
  explicit GaussianNoise(double stddev, GaussianNoiseOptions options = {});
  explicit GaussianNoise(const GaussianNoiseOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(GaussianNoise, GaussianNoiseOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
};

/// Options of GaussianDropout.
struct GaussianDropoutOptions {
  double rate = 0;  ///< in [0, 1]
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// In training, multiplies by normal noise of mean 1 and standard deviation sqrt(rate / (1 - rate))
/// (Srivastava et al. 2014).
class GaussianDropout : public LayerOf<GaussianDropout, GaussianDropoutOptions> {
 public:
  /// Throws ValueError unless 0 <= rate <= 1.
  explicit GaussianDropout(double rate, GaussianDropoutOptions options = {});
  explicit GaussianDropout(const GaussianDropoutOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(GaussianDropout, GaussianDropoutOptions, double)
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
};

/// Options of ActivityRegularization.
struct ActivityRegularizationOptions {
  double l1 = 0;  ///< factor of the sum of magnitudes
  double l2 = 0;  ///< factor of the sum of squares
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Returns its input, and adds the penalty l1 sum(abs(x)) + l2 sum(x^2), divided by the batch size,
/// to the losses.
class ActivityRegularization : public LayerBase<ActivityRegularization> {
 public:
  explicit ActivityRegularization(const ActivityRegularizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(ActivityRegularization, ActivityRegularizationOptions)
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  ActivityRegularizationOptions options_;
};

}  // namespace antler
