#include "runtime/cpu/half_convert.h"

#include "antler/core/half.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

ANTLER_CLONES void widen(const bfloat16* in, float* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]);
}
ANTLER_CLONES void narrow(const float* in, bfloat16* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = bfloat16(in[i]);
}

#if defined(__x86_64__)
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int16_t EightHalves __attribute__((vector_size(16), aligned(2), may_alias));

__attribute__((target("f16c"))) int64_t widen_f16c(const float16* in, float* out, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    *reinterpret_cast<Eight*>(out + i) =
        __builtin_ia32_vcvtph2ps256(*reinterpret_cast<const EightHalves*>(in + i));
  }
  return i;
}
__attribute__((target("f16c"))) int64_t narrow_f16c(const float* in, float16* out, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    *reinterpret_cast<EightHalves*>(out + i) =
        __builtin_ia32_vcvtps2ph256(*reinterpret_cast<const Eight*>(in + i), 0);
  }
  return i;
}
bool has_f16c() {
  static const bool has = __builtin_cpu_supports("f16c");
  return has;
}
#endif

void widen(const float16* in, float* out, int64_t count) {
  int64_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = widen_f16c(in, out, count);
#endif
  for (; i < count; ++i) out[i] = static_cast<float>(in[i]);
}
void narrow(const float* in, float16* out, int64_t count) {
  int64_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = narrow_f16c(in, out, count);
#endif
  for (; i < count; ++i) out[i] = float16(in[i]);
}

}  // namespace

void to_float32(DType from, const void* in, float* out, int64_t count, int threads) {
  parallel_ranges(threads_for_bytes(threads, count * 6), count, [&](int64_t begin, int64_t end) {
    if (from == DType::bfloat16) {
      widen(static_cast<const bfloat16*>(in) + begin, out + begin, end - begin);
    } else {
      widen(static_cast<const float16*>(in) + begin, out + begin, end - begin);
    }
  });
}

void from_float32(DType to, const float* in, void* out, int64_t count, int threads) {
  parallel_ranges(threads_for_bytes(threads, count * 6), count, [&](int64_t begin, int64_t end) {
    if (to == DType::bfloat16) {
      narrow(in + begin, static_cast<bfloat16*>(out) + begin, end - begin);
    } else {
      narrow(in + begin, static_cast<float16*>(out) + begin, end - begin);
    }
  });
}

}  // namespace antler::runtime
