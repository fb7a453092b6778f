#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/core/tensor_parts.h"
#include "antler/ops/core.h"

/// Functions that make arrays.
namespace antler::ops {

/// convert_to_tensor() under NumPy's name.
inline Tensor array(const ArrayLiteral& values, std::optional<DTypeArg> dtype = {}) {
  return convert_to_tensor(values, dtype);
}
template <class T>
Tensor array(const T& x, std::optional<DTypeArg> dtype = {}) {
  return convert_to_tensor(x, dtype);
}
Tensor copy(const Tensor& x);
/// Options of empty(), zeros(), ones() and full().
struct CreationOptions {
  DTypeArg dtype = default_float();
};
/// Options of eye().
struct EyeOptions {
  int64_t k = 0;  ///< the diagonal; above the main one if positive
  DTypeArg dtype = default_float();
};
/// Filled with zeros: uninitialized memory is never exposed.
Tensor empty(const Shape& shape, const CreationOptions& options = {});
Tensor empty_like(const Tensor& x, std::optional<DTypeArg> dtype = {});
Tensor zeros(const Shape& shape, const CreationOptions& options = {});
Tensor ones(const Shape& shape, const CreationOptions& options = {});
Tensor full(const Shape& shape, const Tensor& value, const CreationOptions& options = {});
/// The same with the dtype by position: `zeros({2, 3}, "int32")`.
template <std::convertible_to<DTypeArg> D>
Tensor empty(const Shape& shape, const D& dtype) {
  return empty(shape, {.dtype = dtype});
}
template <std::convertible_to<DTypeArg> D>
Tensor zeros(const Shape& shape, const D& dtype) {
  return zeros(shape, {.dtype = dtype});
}
template <std::convertible_to<DTypeArg> D>
Tensor ones(const Shape& shape, const D& dtype) {
  return ones(shape, {.dtype = dtype});
}
template <std::convertible_to<DTypeArg> D>
Tensor full(const Shape& shape, const Tensor& value, const D& dtype) {
  return full(shape, value, {.dtype = dtype});
}
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor full_like(const Tensor& x, const Tensor& value);
/// The same with a dtype by position: `zeros_like(x, "int32")`.
template <std::convertible_to<DTypeArg> D>
Tensor zeros_like(const Tensor& x, const D& dtype) {
  return cast(zeros_like(x), dtype);
}
template <std::convertible_to<DTypeArg> D>
Tensor ones_like(const Tensor& x, const D& dtype) {
  return cast(ones_like(x), dtype);
}
template <std::convertible_to<DTypeArg> D>
Tensor full_like(const Tensor& x, const Tensor& value, const D& dtype) {
  return cast(full_like(cast(x, dtype), value), dtype);
}

// Ranges and grids.
/// Options of arange().
struct ArangeOptions {
  /// Default: int32, or default_float() if one of the numbers has a decimal point.
  std::optional<DTypeArg> dtype = {};
};
/// start, start + step, ... up to but not including stop.
Tensor arange(int64_t start, int64_t stop, int64_t step = 1, const ArangeOptions& options = {});
Tensor arange(int64_t start, int64_t stop, const ArangeOptions& options);
/// 0, 1, ..., stop - 1.
Tensor arange(int64_t stop, const ArangeOptions& options = {});
/// ceil((stop - start) / step) numbers from start.
Tensor arange_floating(double start, double stop, double step, const ArangeOptions& options = {});
/// Numbers, at least one of which has a decimal point.
template <class... T>
concept FloatingRange = (std::is_arithmetic_v<T> && ...) && (std::floating_point<T> || ...);
template <class Start, class Stop, class Step>
requires FloatingRange<Start, Stop, Step> Tensor arange(Start start, Stop stop, Step step,
                                                        const ArangeOptions& options = {}) {
  return arange_floating(static_cast<double>(start), static_cast<double>(stop),
                         static_cast<double>(step), options);
}
template <class Start, class Stop>
requires FloatingRange<Start, Stop> Tensor arange(Start start, Stop stop,
                                                  const ArangeOptions& options = {}) {
  return arange(start, stop, 1.0, options);
}
template <class Stop>
requires FloatingRange<Stop> Tensor arange(Stop stop, const ArangeOptions& options = {}) {
  return arange(0.0, stop, 1.0, options);
}
/// Each element is its index along `axis`.
Tensor iota(const Shape& shape, int axis, DType dtype = DType::int32);
/// Options of linspace().
struct LinspaceOptions {
  int64_t num = 50;                    ///< how many numbers
  bool endpoint = true;                ///< the last number is `stop`; else one step before it
  std::optional<DTypeArg> dtype = {};  ///< default: that of start and stop, floating-point
  int64_t axis = 0;                    ///< of the numbers, if start and stop are arrays
};
/// Options of linspace_step().
struct LinspaceStepOptions {
  bool endpoint = true;  ///< as in LinspaceOptions
};
/// Options of logspace().
struct LogspaceOptions {
  int64_t num = 50;                    ///< how many numbers
  bool endpoint = true;                ///< as in LinspaceOptions
  double base = 10;                    ///< of the powers
  std::optional<DTypeArg> dtype = {};  ///< likewise
  int64_t axis = 0;                    ///< likewise
};
/// Evenly spaced numbers from start to stop. For integers they are default_float().
Tensor linspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options = {});
ANTLER_KEYWORD_FUNCTION(linspace, LinspaceOptions, const Tensor&, const Tensor&)
/// base^linspace(start, stop).
Tensor logspace(const Tensor& start, const Tensor& stop, const LogspaceOptions& options = {});
ANTLER_KEYWORD_FUNCTION(logspace, LogspaceOptions, const Tensor&, const Tensor&)
/// Numbers from start to stop with a constant ratio. Both must have the same sign.
Tensor geomspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options = {});
ANTLER_KEYWORD_FUNCTION(geomspace, LinspaceOptions, const Tensor&, const Tensor&)
/// The same with `num` by position.
inline Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num,
                       LinspaceOptions options = {}) {
  options.num = num;
  return linspace(start, stop, options);
}
ANTLER_KEYWORD_FUNCTION(linspace, LinspaceOptions, const Tensor&, const Tensor&, int64_t)
inline Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num,
                       LogspaceOptions options = {}) {
  options.num = num;
  return logspace(start, stop, options);
}
ANTLER_KEYWORD_FUNCTION(logspace, LogspaceOptions, const Tensor&, const Tensor&, int64_t)
inline Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num,
                        LinspaceOptions options = {}) {
  options.num = num;
  return geomspace(start, stop, options);
}
ANTLER_KEYWORD_FUNCTION(geomspace, LinspaceOptions, const Tensor&, const Tensor&, int64_t)
/// The step of linspace() (Keras's `retstep`); NaN if it has fewer than two numbers.
Tensor linspace_step(const Tensor& start, const Tensor& stop, int64_t num = 50,
                     LinspaceStepOptions options = {});
/// Coordinates of a grid: vector i of `xs` varies along axis i ("ij"), or with the first two axes
/// swapped ("xy").
TensorParts meshgrid(const std::vector<Tensor>& xs, const std::string& indexing = "xy");
/// `meshgrid(x, y)`: the same with "xy".
template <std::same_as<Tensor>... T>
TensorParts meshgrid(const Tensor& x, const T&... more) {
  return meshgrid(std::vector<Tensor>{x, more...});
}
/// Options of meshgrid().
struct MeshgridOptions {
  std::string indexing = "xy";  ///< or "ij"
};
/// `meshgrid(x, y, {.indexing = "ij"})`. (Templates, so that options are not tensors.)
template <std::same_as<Tensor> T>
TensorParts meshgrid(const Tensor& x, const T& y, const MeshgridOptions& options) {
  return meshgrid(std::vector<Tensor>{x, y}, options.indexing);
}
template <std::same_as<Tensor> T>
TensorParts meshgrid(const Tensor& x, const T& y, const T& z, const MeshgridOptions& options) {
  return meshgrid(std::vector<Tensor>{x, y, z}, options.indexing);
}

// Matrices.
/// Ones on diagonal k, zeros elsewhere.
Tensor eye(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DTypeArg dtype = default_float());
/// The same by name.
inline Tensor eye(int64_t rows, std::optional<int64_t> columns, const EyeOptions& options) {
  return eye(rows, columns, options.k, options.dtype);
}
ANTLER_KEYWORD_FUNCTION(eye, EyeOptions, int64_t, std::optional<int64_t>)
/// The same without columns. (A template, so that `eye(n, {})` selects the first overload.)
template <std::same_as<EyeOptions> O = EyeOptions>
Tensor eye(int64_t rows, const O& options) {
  return eye(rows, {}, options.k, options.dtype);
}
ANTLER_KEYWORD_FUNCTION(eye, EyeOptions, int64_t)
/// Ones on the diagonal.
Tensor identity(int64_t n, DTypeArg dtype = default_float());
/// [rows, columns] with ones on and below diagonal k.
Tensor tri(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DTypeArg dtype = default_float());
/// The same by name.
inline Tensor tri(int64_t rows, std::optional<int64_t> columns, const EyeOptions& options) {
  return tri(rows, columns, options.k, options.dtype);
}
ANTLER_KEYWORD_FUNCTION(tri, EyeOptions, int64_t, std::optional<int64_t>)
template <std::same_as<EyeOptions> O = EyeOptions>
Tensor tri(int64_t rows, const O& options) {
  return tri(rows, {}, options.k, options.dtype);
}
ANTLER_KEYWORD_FUNCTION(tri, EyeOptions, int64_t)
/// The lower / upper triangle of the last two dimensions; zeros elsewhere.
Tensor tril(const Tensor& x, int64_t k = 0);
Tensor triu(const Tensor& x, int64_t k = 0);
/// A matrix with the vector `x` on diagonal k; for a matrix `x`, its diagonal k.
Tensor diag(const Tensor& x, int64_t k = 0);
Tensor diagflat(const Tensor& x, int64_t k = 0);
/// Diagonals of the planes spanned by two axes, as the last dimension.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// The sums of diagonal().
Tensor trace(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// Options of vander().
struct VanderOptions {
  bool increasing = false;  ///< the powers are 0, 1, ..., n-1
};
/// Powers n-1, ..., 1, 0 of the vector `x` as columns. Default n: the size of `x`.
Tensor vander(const Tensor& x, std::optional<int64_t> n = {}, VanderOptions options = {});

/// Symmetric window functions of `length` samples, float32.
Tensor bartlett(int64_t length);             ///< a triangle
Tensor blackman(int64_t length);             ///< a sum of cosines
Tensor hamming(int64_t length);              ///< a raised cosine that does not end at 0
Tensor hanning(int64_t length);              ///< a raised cosine
Tensor kaiser(int64_t length, double beta);  ///< by the Bessel function i0()

}  // namespace antler::ops
