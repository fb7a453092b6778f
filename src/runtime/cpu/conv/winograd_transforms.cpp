#include "runtime/cpu/conv/winograd_transforms.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

using Lanes __attribute__((vector_size(4 * kWinogradLanes), aligned(4), may_alias)) = float;

// Interpolation points +-a and +-b.
constexpr float kA = 0.75F;
constexpr float kB = 1.5F;
constexpr float kA2 = kA * kA;
constexpr float kB2 = kB * kB;
constexpr float kSum = kA2 + kB2;
constexpr float kProduct = kA2 * kB2;
// Scale factors of the filter at each point: 1 / product of the distances to the other points.
constexpr float kAt0 = 1 / kProduct;
constexpr float kAtA = 1 / (2 * kA2 * (kA2 - kB2));
constexpr float kAtB = 1 / (2 * kB2 * (kB2 - kA2));

/// B' d.
ANTLER_INLINE void input_line(Lanes (&d)[6]) {
  const Lanes even_a = d[4] - kB2 * d[2];
  const Lanes odd_a = d[3] - kB2 * d[1];
  const Lanes even_b = d[4] - kA2 * d[2];
  const Lanes odd_b = d[3] - kA2 * d[1];
  d[0] = kProduct * d[0] + (d[4] - kSum * d[2]);
  d[5] = kProduct * d[1] + (d[5] - kSum * d[3]);
  d[1] = even_a + kA * odd_a;
  d[2] = even_a - kA * odd_a;
  d[3] = even_b + kB * odd_b;
  d[4] = even_b - kB * odd_b;
}

/// B' d of a small tile. Undoes the filter's scale factors for +-b, which a small tile does not
/// use.
ANTLER_INLINE void input_line(Lanes (&d)[4]) {
  const Lanes even = (kA2 - kB2) * d[2];
  const Lanes odd = (kA * (kA2 - kB2)) * d[1];
  d[0] = kProduct * d[0] - kB2 * d[2];
  d[3] = d[3] - kA2 * d[1];
  d[1] = even + odd;
  d[2] = even - odd;
}

/// A' m.
ANTLER_INLINE void output_line(const Lanes (&m)[6], Lanes (&y)[4]) {
  const Lanes even_a = m[1] + m[2];
  const Lanes odd_a = m[1] - m[2];
  const Lanes even_b = m[3] + m[4];
  const Lanes odd_b = m[3] - m[4];
  y[0] = m[0] + even_a + even_b;
  y[1] = kA * odd_a + kB * odd_b;
  y[2] = kA2 * even_a + kB2 * even_b;
  y[3] = kA * kA2 * odd_a + (kB * kB2 * odd_b + m[5]);
}

ANTLER_INLINE void output_line(const Lanes (&m)[4], Lanes (&y)[2]) {
  y[0] = m[0] + m[1] + m[2];
  y[1] = kA * (m[1] - m[2]) + m[3];
}

/// A y.
ANTLER_INLINE void output_grad_line(const Lanes (&y)[4], Lanes (&m)[6]) {
  const Lanes even_a = y[0] + kA2 * y[2];
  const Lanes odd_a = y[1] + kA2 * y[3];
  const Lanes even_b = y[0] + kB2 * y[2];
  const Lanes odd_b = y[1] + kB2 * y[3];
  m[0] = y[0];
  m[1] = even_a + kA * odd_a;
  m[2] = even_a - kA * odd_a;
  m[3] = even_b + kB * odd_b;
  m[4] = even_b - kB * odd_b;
  m[5] = y[3];
}

/// G g.
ANTLER_INLINE void filter_line(const Lanes (&g)[3], Lanes (&u)[6]) {
  const Lanes even_a = kAtA * g[0] + (kAtA * kA2) * g[2];
  const Lanes odd_a = (kAtA * kA) * g[1];
  const Lanes even_b = kAtB * g[0] + (kAtB * kB2) * g[2];
  const Lanes odd_b = (kAtB * kB) * g[1];
  u[0] = kAt0 * g[0];
  u[1] = even_a + odd_a;
  u[2] = even_a - odd_a;
  u[3] = even_b + odd_b;
  u[4] = even_b - odd_b;
  u[5] = g[2];
}

/// G' s.
ANTLER_INLINE void filter_grad_line(const Lanes (&s)[6], Lanes (&g)[3]) {
  const Lanes even_a = s[1] + s[2];
  const Lanes odd_a = s[1] - s[2];
  const Lanes even_b = s[3] + s[4];
  const Lanes odd_b = s[3] - s[4];
  g[0] = kAt0 * s[0] + (kAtA * even_a + kAtB * even_b);
  g[1] = (kAtA * kA) * odd_a + (kAtB * kB) * odd_b;
  g[2] = (kAtA * kA2) * even_a + ((kAtB * kB2) * even_b + s[5]);
}

ANTLER_INLINE Lanes load(const float* from) { return *reinterpret_cast<const Lanes*>(from); }
ANTLER_INLINE void store(float* to, const Lanes& value) { *reinterpret_cast<Lanes*>(to) = value; }

/// For the last vector of channels, which may be partial.
ANTLER_INLINE Lanes load(const float* from, int64_t count) {
  if (count >= kWinogradLanes) return load(from);
  float some[kWinogradLanes] = {};
  std::memcpy(some, from, static_cast<size_t>(count) * sizeof(float));
  return load(some);
}
ANTLER_INLINE void store(float* to, const Lanes& value, int64_t count) {
  if (count >= kWinogradLanes) return store(to, value);
  float some[kWinogradLanes];
  store(some, value);
  std::memcpy(to, some, static_cast<size_t>(count) * sizeof(float));
}

/// Index among the six points of point i of a tile with `points` points.
template <int points>
constexpr int64_t point_of(int64_t i) {
  return points == kWinogradInputs || i + 1 < points ? i : kWinogradInputs - 1;
}

// The transforms of `count` channels, starting at channel c. `rows`, `columns`: points, equal to
// inputs.

template <int rows, int columns>
ANTLER_INLINE void input_block(const std::array<const float*, kWinogradPoints>& at, float* to,
                               int64_t point_step, int64_t c, int64_t count) {
  Lanes lines[rows][columns];
#pragma GCC unroll 6
  for (size_t j = 0; j < columns; ++j) {
    Lanes d[rows];
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; ++i) d[i] = load(at[6 * i + j] + c, count);
    input_line(d);
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; ++i) lines[i][j] = d[i];
  }
#pragma GCC unroll 6
  for (int64_t i = 0; i < rows; ++i) {
    input_line(lines[i]);
#pragma GCC unroll 6
    for (int64_t j = 0; j < columns; ++j) {
      store(to + (6 * point_of<rows>(i) + point_of<columns>(j)) * point_step + c, lines[i][j]);
    }
  }
}

template <int rows, int columns>
ANTLER_INLINE void output_block(const float* from, int64_t point_step, int64_t channels, float* to,
                                int64_t row_step, int out_rows, int out_columns, int64_t c,
                                int64_t count) {
  constexpr int kRows = rows - 2;
  constexpr int kColumns = columns - 2;
  Lanes lines[kRows][columns];
#pragma GCC unroll 6
  for (int64_t j = 0; j < columns; ++j) {
    Lanes m[rows];
    Lanes y[kRows];
#pragma GCC unroll 6
    for (int64_t i = 0; i < rows; ++i) {
      m[i] = load(from + (6 * point_of<rows>(i) + point_of<columns>(j)) * point_step + c);
    }
    output_line(m, y);
#pragma GCC unroll 4
    for (int64_t i = 0; i < kRows; ++i) lines[i][j] = y[i];
  }
  for (int64_t i = 0; i < out_rows; ++i) {
    Lanes y[kColumns];
    output_line(lines[i], y);
    float* const row = to + i * row_step + c;
    if (out_columns == kColumns && count >= kWinogradLanes) {
#pragma GCC unroll 4
      for (int64_t j = 0; j < kColumns; ++j) store(row + j * channels, y[j]);
    } else {
      for (int64_t j = 0; j < out_columns; ++j) store(row + j * channels, y[j], count);
    }
  }
}

ANTLER_INLINE void output_grad_block(const std::array<const float*, 16>& at, float* to,
                                     int64_t point_step, int64_t c, int64_t count) {
  Lanes lines[6][4];
#pragma GCC unroll 4
  for (size_t j = 0; j < 4; ++j) {
    Lanes y[4];
    Lanes m[6];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) y[i] = load(at[4 * i + j] + c, count);
    output_grad_line(y, m);
#pragma GCC unroll 6
    for (size_t i = 0; i < 6; ++i) lines[i][j] = m[i];
  }
#pragma GCC unroll 6
  for (int64_t i = 0; i < 6; ++i) {
    Lanes m[6];
    output_grad_line(lines[i], m);
#pragma GCC unroll 6
    for (int64_t j = 0; j < 6; ++j) store(to + (6 * i + j) * point_step + c, m[j]);
  }
}

ANTLER_INLINE void filter_block(const float* first, int64_t step, float* to, int64_t point_step,
                                int64_t c, int64_t count) {
  Lanes lines[6][3];
#pragma GCC unroll 3
  for (int64_t j = 0; j < 3; ++j) {
    Lanes g[3];
    Lanes u[6];
#pragma GCC unroll 3
    for (int64_t i = 0; i < 3; ++i) g[i] = load(first + (3 * i + j) * step + c, count);
    filter_line(g, u);
#pragma GCC unroll 6
    for (int64_t i = 0; i < 6; ++i) lines[i][j] = u[i];
  }
#pragma GCC unroll 6
  for (int64_t i = 0; i < 6; ++i) {
    Lanes u[6];
    filter_line(lines[i], u);
#pragma GCC unroll 6
    for (int64_t j = 0; j < 6; ++j) store(to + (6 * i + j) * point_step + c, u[j]);
  }
}

ANTLER_INLINE void filter_grad_block(const float* from, int64_t point_step, int64_t parts,
                                     int64_t part_step, float* to, int64_t tap_step, int64_t c,
                                     int64_t count) {
  Lanes lines[3][6];
  for (int64_t j = 0; j < 6; ++j) {
    Lanes s[6];
    Lanes g[3];
    for (int64_t i = 0; i < 6; ++i) {
      const float* const point = from + (6 * i + j) * point_step + c;
      s[i] = load(point);
      for (int64_t p = 1; p < parts; ++p) s[i] += load(point + p * part_step);
    }
    filter_grad_line(s, g);
#pragma GCC unroll 3
    for (int64_t i = 0; i < 3; ++i) lines[i][j] = g[i];
  }
  for (int64_t i = 0; i < 3; ++i) {
    Lanes g[3];
    filter_grad_line(lines[i], g);
    for (int64_t j = 0; j < 3; ++j) store(to + (3 * i + j) * tap_step + c, g[j], count);
  }
}

template <int rows, int columns>
ANTLER_INLINE void input_of(const std::array<const float*, kWinogradPoints>& at, int64_t channels,
                            float* to, int64_t point_step) {
  int64_t c = 0;
  for (; c + kWinogradLanes <= channels; c += kWinogradLanes) {
    input_block<rows, columns>(at, to, point_step, c, kWinogradLanes);
  }
  if (c < channels) input_block<rows, columns>(at, to, point_step, c, channels - c);
}

template <int rows, int columns>
ANTLER_INLINE void output_of(const float* from, int64_t point_step, int64_t channels, float* to,
                             int64_t row_step, int out_rows, int out_columns) {
  int64_t c = 0;
  for (; c + kWinogradLanes <= channels; c += kWinogradLanes) {
    output_block<rows, columns>(from, point_step, channels, to, row_step, out_rows, out_columns, c,
                                kWinogradLanes);
  }
  if (c < channels) {
    output_block<rows, columns>(from, point_step, channels, to, row_step, out_rows, out_columns, c,
                                channels - c);
  }
}

}  // namespace

ANTLER_CLONES void winograd_input(const std::array<const float*, kWinogradPoints>& at,
                                  WinogradSize size, int64_t channels, float* to,
                                  int64_t point_step) {
  if (size.small_rows && size.small_columns) return input_of<4, 4>(at, channels, to, point_step);
  if (size.small_rows) return input_of<4, 6>(at, channels, to, point_step);
  if (size.small_columns) return input_of<6, 4>(at, channels, to, point_step);
  input_of<6, 6>(at, channels, to, point_step);
}

ANTLER_CLONES void winograd_output(const float* from, WinogradSize size, int64_t point_step,
                                   int64_t channels, float* to, int64_t row_step, int rows,
                                   int columns) {
  if (size.small_rows && size.small_columns) {
    return output_of<4, 4>(from, point_step, channels, to, row_step, rows, columns);
  }
  if (size.small_rows) {
    return output_of<4, 6>(from, point_step, channels, to, row_step, rows, columns);
  }
  if (size.small_columns) {
    return output_of<6, 4>(from, point_step, channels, to, row_step, rows, columns);
  }
  output_of<6, 6>(from, point_step, channels, to, row_step, rows, columns);
}

ANTLER_CLONES void winograd_output_grad(const std::array<const float*, 16>& at, int64_t channels,
                                        float* to, int64_t point_step) {
  int64_t c = 0;
  for (; c + kWinogradLanes <= channels; c += kWinogradLanes) {
    output_grad_block(at, to, point_step, c, kWinogradLanes);
  }
  if (c < channels) output_grad_block(at, to, point_step, c, channels - c);
}

ANTLER_CLONES void winograd_filter(const float* from, int64_t tap_step, bool reversed,
                                   int64_t channels, float* to, int64_t point_step) {
  const float* const first = reversed ? from + 8 * tap_step : from;
  const int64_t step = reversed ? -tap_step : tap_step;
  int64_t c = 0;
  for (; c + kWinogradLanes <= channels; c += kWinogradLanes) {
    filter_block(first, step, to, point_step, c, kWinogradLanes);
  }
  if (c < channels) filter_block(first, step, to, point_step, c, channels - c);
}

ANTLER_CLONES void winograd_filter_grad(const float* from, int64_t point_step, int64_t parts,
                                        int64_t part_step, int64_t channels, float* to,
                                        int64_t tap_step) {
  int64_t c = 0;
  for (; c + kWinogradLanes <= channels; c += kWinogradLanes) {
    filter_grad_block(from, point_step, parts, part_step, to, tap_step, c, kWinogradLanes);
  }
  if (c < channels)
    filter_grad_block(from, point_step, parts, part_step, to, tap_step, c, channels - c);
}

}  // namespace antler::runtime
