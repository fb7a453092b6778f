#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace antler {

/// Element types. Names (`dtype_name`) are Keras's: "float32", "bool", ...
enum class DType : uint8_t {
  float32,
  float64,
  bfloat16,
  float16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
};

inline constexpr int kNumDTypes = 13;

/// Bytes of one element.
size_t dtype_size(DType dtype);
/// Keras's name of a dtype.
const char* dtype_name(DType dtype);
/// The dtype of a Keras name. Throws ValueError for an unknown name.
DType parse_dtype(std::string_view name);
/// Whether `name` is the Keras name of `dtype`: `layer.compute_dtype() == "bfloat16"`.
bool operator==(DType dtype, std::string_view name);
/// Writes dtype_name().
std::ostream& operator<<(std::ostream& out, DType dtype);

/// float32, float64, bfloat16 or float16.
bool is_floating(DType dtype);
/// A signed or unsigned integer (not boolean).
bool is_integer(DType dtype);
bool is_signed_integer(DType dtype);
bool is_unsigned_integer(DType dtype);

/// The default dtype of new arrays, of numbers with a decimal point, and of floating-point results
/// of integers. Initially float32.
DType default_float();
/// Throws ValueError unless `dtype` is floating-point.
void set_default_float(DType dtype);

/// The dtype of an operation on both, like `keras.backend.result_type` (JAX's lattice: int64 with
/// float32 gives float32, and so does bfloat16 with float16; int64 with uint64 gives
/// default_float()).
DType promote_types(DType a, DType b);

/// Promotion where either side may be *weak* (a C++ number literal): a weak operand only decides
/// the kind (bool < integer < floating), never the width.
DType promote_types(DType a, bool a_weak, DType b, bool b_weak);

}  // namespace antler
