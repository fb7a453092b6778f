#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/sizes.h"

namespace antler {

/// Options of Flatten.
struct FlattenOptions {
  std::string data_format =
      "channels_last";  ///< "channels_first": channels are moved last before flattening
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// [batch, ...] -> [batch, product of the rest]; [batch] -> [batch, 1].
class Flatten : public LayerOf<Flatten, FlattenOptions> {
 public:
  explicit Flatten(const FlattenOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Flatten, FlattenOptions)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of Reshape.
struct ReshapeOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Shape target_shape = {};  ///< without the batch; one -1 is inferred
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// [batch, ...] -> [batch, target...].
class Reshape : public LayerOf<Reshape, ReshapeOptions> {
 public:
  // A template, because g++ would also convert options in braces to a shape.
  template <class S = Shape>
  explicit Reshape(const std::type_identity_t<S>& target_shape, ReshapeOptions options = {})
      : Reshape(by_position<&ReshapeOptions::target_shape>("Reshape", std::move(options),
                                                           target_shape)) {}
  explicit Reshape(const ReshapeOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Reshape, ReshapeOptions, Shape)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of Permute.
struct PermuteOptions {
  std::vector<int64_t> dims = {};  ///< a permutation of 1, 2, ...; 0 is the batch
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Dimension i of a sample's output is dimension dims[i] of its input.
class Permute : public LayerOf<Permute, PermuteOptions> {
 public:
  /// Throws ValueError unless `dims` is a permutation of 1, 2, ...
  explicit Permute(std::vector<int64_t> dims, PermuteOptions options = {});
  explicit Permute(const PermuteOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Permute, PermuteOptions, std::vector<int64_t>)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of RepeatVector.
struct RepeatVectorOptions {
  int64_t n = 1;  ///< number of repetitions
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// [batch, features] -> [batch, n, features].
class RepeatVector : public LayerOf<RepeatVector, RepeatVectorOptions> {
 public:
  /// Throws ValueError unless n > 0.
  explicit RepeatVector(int64_t n, RepeatVectorOptions options = {});
  explicit RepeatVector(const RepeatVectorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RepeatVector, RepeatVectorOptions, int64_t)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Numbers of elements at both ends of each spatial dimension, as Keras takes them: one number for
/// all ends, one for each dimension ({1, 2}), or a pair for each dimension ({{1, 1}, {0, 2}}). For
/// one dimension, {1, 2} is the pair.
class EdgeSizes {
 public:
  /// Numbers of elements at both ends of one dimension.
  struct Edge {
    int64_t low = 0;
    int64_t high = 0;
    bool pair = false;
    template <std::integral T>
    Edge(T both)  // NOLINT(google-explicit-constructor): a number stands for both ends
        : low(static_cast<int64_t>(both)), high(static_cast<int64_t>(both)) {}
    Edge(int64_t at_low, int64_t at_high) : low(at_low), high(at_high), pair(true) {}
  };

  EdgeSizes() = default;
  template <std::integral T>
  EdgeSizes(T all)  // NOLINT(google-explicit-constructor)
      : edges_{Edge(all)}, single_(true) {}
  EdgeSizes(std::initializer_list<Edge> edges) : edges_(edges) {}
  explicit EdgeSizes(std::vector<Edge> edges) : edges_(std::move(edges)) {}

  bool given() const { return !edges_.empty(); }
  /// One pair per dimension, or `otherwise` at all ends if nothing was given. Throws a ValueError
  /// that names `what` for the wrong number of dimensions and for negative sizes.
  std::vector<Edge> expand(int rank, int64_t otherwise, const char* what) const;

 private:
  std::vector<Edge> edges_;
  bool single_ = false;
};

/// Argument types for braces: both ends of the only dimension, `{1, 2}`, or one entry per
/// dimension, `{{1, 0}, {2, 3}}` or `{1, 2}`. They are aggregates, because g++ 12 converts
/// `{.padding = 1}` to any other type that can be constructed from 1.
struct EdgesOf1 {
  int64_t low;
  int64_t high;
  operator EdgeSizes() const { return {{low, high}}; }  // NOLINT(google-explicit-constructor)
};
/// See EdgesOf1.
struct EdgesOf2 {
  EdgeSizes::Edge height;
  EdgeSizes::Edge width;
  operator EdgeSizes() const { return {height, width}; }  // NOLINT(google-explicit-constructor)
};
/// See EdgesOf1.
struct EdgesOf3 {
  EdgeSizes::Edge first;
  EdgeSizes::Edge second;
  EdgeSizes::Edge third;
  operator EdgeSizes() const {
    return {first, second, third};
  }  // NOLINT(google-explicit-constructor)
};

/// Options of Cropping1D, Cropping2D and Cropping3D.
struct CroppingOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  EdgeSizes cropping = {};                    ///< not given: 1; for Cropping2D 0
  std::string data_format = "channels_last";  ///< or "channels_first"; 1D: always the last
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the cropping layers, which remove elements at the ends of the spatial dimensions.
class BaseCropping : public Layer {
 public:
  /// Throws ValueError if nothing would be left.
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  BaseCropping(int rank, const char* class_name, const CroppingOptions& options);

 private:
  int rank_;
  CroppingOptions options_;
  std::vector<EdgeSizes::Edge> edges_;
};

/// Removes elements at the ends of [batch, steps, channels].
class Cropping1D : public LayerBase<Cropping1D, BaseCropping> {
 public:
  explicit Cropping1D(int64_t cropping, CroppingOptions options = {});
  explicit Cropping1D(const EdgesOf1& cropping, CroppingOptions options = {});
  explicit Cropping1D(const CroppingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Cropping1D, CroppingOptions, int64_t)
};
/// Removes elements at the ends of [batch, height, width, channels].
class Cropping2D : public LayerBase<Cropping2D, BaseCropping> {
 public:
  explicit Cropping2D(int64_t cropping, CroppingOptions options = {});
  explicit Cropping2D(const EdgesOf2& cropping, CroppingOptions options = {});
  template <std::same_as<EdgeSizes> Edges>
  explicit Cropping2D(const Edges& cropping, CroppingOptions options = {})
      : Cropping2D(
            by_position<&CroppingOptions::cropping>("Cropping2D", std::move(options), cropping)) {}
  explicit Cropping2D(const CroppingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Cropping2D, CroppingOptions, int64_t)
};
/// Removes elements at the ends of [batch, depth, height, width, channels].
class Cropping3D : public LayerBase<Cropping3D, BaseCropping> {
 public:
  explicit Cropping3D(int64_t cropping, CroppingOptions options = {});
  explicit Cropping3D(const EdgesOf3& cropping, CroppingOptions options = {});
  template <std::same_as<EdgeSizes> Edges>
  explicit Cropping3D(const Edges& cropping, CroppingOptions options = {})
      : Cropping3D(
            by_position<&CroppingOptions::cropping>("Cropping3D", std::move(options), cropping)) {}
  explicit Cropping3D(const CroppingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Cropping3D, CroppingOptions, int64_t)
};

/// Options of ZeroPadding1D, ZeroPadding2D and ZeroPadding3D.
struct ZeroPaddingOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  EdgeSizes padding = {};                     ///< not given: 1
  std::string data_format = "channels_last";  ///< or "channels_first"
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the padding layers, which add zeros at the ends of the spatial dimensions.
class BaseZeroPadding : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  BaseZeroPadding(int rank, const char* class_name, const ZeroPaddingOptions& options);

 private:
  ZeroPaddingOptions options_;
  std::vector<EdgeSizes::Edge> edges_;
};

/// Adds zeros at the ends of [batch, steps, channels].
class ZeroPadding1D : public LayerBase<ZeroPadding1D, BaseZeroPadding> {
 public:
  explicit ZeroPadding1D(int64_t padding, ZeroPaddingOptions options = {});
  explicit ZeroPadding1D(const EdgesOf1& padding, ZeroPaddingOptions options = {});
  explicit ZeroPadding1D(const ZeroPaddingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(ZeroPadding1D, ZeroPaddingOptions, int64_t)
};
/// Adds zeros at the ends of [batch, height, width, channels].
class ZeroPadding2D : public LayerBase<ZeroPadding2D, BaseZeroPadding> {
 public:
  explicit ZeroPadding2D(int64_t padding, ZeroPaddingOptions options = {});
  explicit ZeroPadding2D(const EdgesOf2& padding, ZeroPaddingOptions options = {});
  template <std::same_as<EdgeSizes> Edges>
  explicit ZeroPadding2D(const Edges& padding, ZeroPaddingOptions options = {})
      : ZeroPadding2D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding2D", std::move(options),
                                                                padding)) {}
  explicit ZeroPadding2D(const ZeroPaddingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(ZeroPadding2D, ZeroPaddingOptions, int64_t)
};
/// Adds zeros at the ends of [batch, depth, height, width, channels].
class ZeroPadding3D : public LayerBase<ZeroPadding3D, BaseZeroPadding> {
 public:
  explicit ZeroPadding3D(int64_t padding, ZeroPaddingOptions options = {});
  explicit ZeroPadding3D(const EdgesOf3& padding, ZeroPaddingOptions options = {});
  template <std::same_as<EdgeSizes> Edges>
  explicit ZeroPadding3D(const Edges& padding, ZeroPaddingOptions options = {})
      : ZeroPadding3D(by_position<&ZeroPaddingOptions::padding>("ZeroPadding3D", std::move(options),
                                                                padding)) {}
  explicit ZeroPadding3D(const ZeroPaddingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(ZeroPadding3D, ZeroPaddingOptions, int64_t)
};

/// Options of UpSampling1D, UpSampling2D and UpSampling3D.
struct UpSamplingOptions {
  Sizes size = {};                            ///< factor per dimension; not given: 2
  std::string data_format = "channels_last";  ///< or "channels_first"; 1D: always the last
  std::string interpolation = "nearest";      ///< 2D also "bilinear", "bicubic", "lanczos3",
                                              ///< "lanczos5", "area", "gaussian", "mitchellcubic"
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the upsampling layers, which enlarge the spatial dimensions by integer factors. They
/// repeat elements or, in two dimensions, interpolate between them.
class BaseUpSampling : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  BaseUpSampling(int rank, const char* class_name, const UpSamplingOptions& options);

 private:
  int rank_;
  UpSamplingOptions options_;
};

/// Upsamples [batch, steps, channels].
class UpSampling1D : public LayerBase<UpSampling1D, BaseUpSampling> {
 public:
  explicit UpSampling1D(int64_t size, UpSamplingOptions options = {});
  explicit UpSampling1D(const UpSamplingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(UpSampling1D, UpSamplingOptions, int64_t)
};
/// Upsamples [batch, height, width, channels].
class UpSampling2D : public LayerBase<UpSampling2D, BaseUpSampling> {
 public:
  explicit UpSampling2D(int64_t size, UpSamplingOptions options = {});
  explicit UpSampling2D(const std::array<int64_t, 2>& size, UpSamplingOptions options = {});
  explicit UpSampling2D(const UpSamplingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(UpSampling2D, UpSamplingOptions, int64_t)
};
/// Upsamples [batch, depth, height, width, channels].
class UpSampling3D : public LayerBase<UpSampling3D, BaseUpSampling> {
 public:
  explicit UpSampling3D(int64_t size, UpSamplingOptions options = {});
  explicit UpSampling3D(const std::array<int64_t, 3>& size, UpSamplingOptions options = {});
  explicit UpSampling3D(const UpSamplingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(UpSampling3D, UpSamplingOptions, int64_t)
};

}  // namespace antler
