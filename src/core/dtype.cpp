#include "antler/core/dtype.h"

#include <array>
#include <atomic>
#include <ostream>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "base/did_you_mean.h"

namespace antler {
namespace {

struct DTypeInfo {
  const char* name;
  size_t size;
};

constexpr std::array<DTypeInfo, kNumDTypes> kInfo = {{
    {"float32", 4},
    {"float64", 8},
    {"bfloat16", 2},
    {"float16", 2},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"bool", 1},
}};

std::atomic<DType> g_default_float = DType::float32;

int bits(DType d) { return static_cast<int>(dtype_size(d)) * 8; }

DType signed_of(int width) {
  switch (width) {
    case 8:
      return DType::int8;
    case 16:
      return DType::int16;
    case 32:
      return DType::int32;
    default:
      return DType::int64;
  }
}

}  // namespace

size_t dtype_size(DType dtype) { return kInfo[static_cast<size_t>(dtype)].size; }
const char* dtype_name(DType dtype) { return kInfo[static_cast<size_t>(dtype)].name; }

bool operator==(DType dtype, std::string_view name) { return name == dtype_name(dtype); }

DType parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (name == kInfo[i].name) return static_cast<DType>(i);
  }
  if (name == "float") return DType::float32;
  if (name == "int") return DType::int32;
  std::vector<std::string> known;
  known.reserve(static_cast<size_t>(kNumDTypes));
  for (int i = 0; i < kNumDTypes; ++i) known.emplace_back(dtype_name(static_cast<DType>(i)));
  throw ValueError("Invalid dtype: '{}'.{} Expected a name such as 'float32', 'int64' or 'bool'.",
                   name, did_you_mean(name, known));
}

bool is_floating(DType d) {
  return d == DType::float32 || d == DType::float64 || d == DType::bfloat16 || d == DType::float16;
}
bool is_signed_integer(DType d) {
  return d == DType::int8 || d == DType::int16 || d == DType::int32 || d == DType::int64;
}
bool is_unsigned_integer(DType d) {
  return d == DType::uint8 || d == DType::uint16 || d == DType::uint32 || d == DType::uint64;
}
bool is_integer(DType d) { return is_signed_integer(d) || is_unsigned_integer(d); }

DType default_float() { return g_default_float.load(std::memory_order_relaxed); }
void set_default_float(DType dtype) {
  if (!is_floating(dtype)) {
    throw ValueError(
        "The default dtype must be 'float32', 'float64', 'float16' or 'bfloat16'. Received: '{}'.",
        dtype_name(dtype));
  }
  g_default_float.store(dtype, std::memory_order_relaxed);
}

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  const bool fa = is_floating(a);
  const bool fb = is_floating(b);
  if (fa && fb) {
    if (a == DType::float64 || b == DType::float64) return DType::float64;
    return DType::float32;  // two different types among float32, bfloat16, float16
  }
  if (fa) return a;
  if (fb) return b;
  const bool sa = is_signed_integer(a);
  const bool sb = is_signed_integer(b);
  if (sa == sb) return bits(a) >= bits(b) ? a : b;
  const DType s = sa ? a : b;
  const DType u = sa ? b : a;
  if (bits(s) > bits(u)) return s;
  if (u == DType::uint64) return default_float();
  return signed_of(bits(u) * 2);
}

DType promote_types(DType a, bool a_weak, DType b, bool b_weak) {
  if (a_weak == b_weak) return promote_types(a, b);
  const DType strong = a_weak ? b : a;
  const DType weak = a_weak ? a : b;
  const auto kind = [](DType d) { return is_floating(d) ? 2 : d == DType::boolean ? 0 : 1; };
  return kind(weak) <= kind(strong) ? strong : weak;
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype_name(dtype); }

}  // namespace antler
