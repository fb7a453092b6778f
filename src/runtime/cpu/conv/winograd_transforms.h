#pragma once

#include <array>
#include <cstdint>

/// Winograd's minimal filtering algorithm F(4 x 4, 3 x 3): a tile of 4 x 4 outputs from 6 x 6
/// inputs with 36 instead of 144 multiplications per pair of channels (Winograd 1980; Lavin and
/// Gray, "Fast Algorithms for Convolutional Neural Networks", 2016). With matrices A, B, G:
///
///   Y = A' [ (G g G') * (B' d B) ] A
///
/// The interpolation points are 0, +-3/4, +-3/2 and infinity. Their rounding error is two and a
/// half times that of direct convolution; with the usual points 0, +-1, +-2 it is five times.
///
/// If one or two outputs remain at the end of a row or column of tiles, the last tile is small: it
/// uses F(2, 3) in that dimension, with 2 outputs from 4 inputs at the points 0, +-3/4 and
/// infinity. The scale factors are chosen so that the same transformed filter serves both.
///
/// All functions are vectorized over channels, which are contiguous. Rows of transformed values are
/// padded with zeros to full vectors of kWinogradLanes.
namespace antler::runtime {

inline constexpr int kWinogradTile = 4;    ///< outputs of a tile along a dimension
inline constexpr int kWinogradInputs = 6;  ///< inputs of a tile along a dimension
inline constexpr int kWinogradPoints = 36;
inline constexpr int kWinogradSmallTile = 2;
inline constexpr int kWinogradSmallInputs = 4;
/// Which of the six points of a dimension a small tile uses.
inline constexpr std::array<bool, 6> kWinogradSmallPoints = {true, true, true, false, false, true};
inline constexpr int kWinogradLanes = 16;

/// Whether the last tile of a row or column with this many outputs is small.
constexpr bool ends_in_small_tile(int64_t outputs) {
  const int64_t left = outputs % kWinogradTile;
  return left > 0 && left <= kWinogradSmallTile;
}

/// Channels padded to full vectors.
constexpr int64_t winograd_padded(int64_t channels) {
  return (channels + kWinogradLanes - 1) / kWinogradLanes * kWinogradLanes;
}

/// In which dimensions a tile is small.
struct WinogradSize {
  bool small_rows = false;
  bool small_columns = false;
};

/// Input transform B' d B. Pixel (i, j) is at[6 * i + j]; point p is stored at to[p *
/// point_step]. For a small tile only its points are stored.
void winograd_input(const std::array<const float*, kWinogradPoints>& at, WinogradSize size,
                    int64_t channels, float* to, int64_t point_step);

/// Output transform A' m A. Stores the first `rows` x `columns` pixels, pixel (i, j) at
/// to[i * row_step + j * channels].
void winograd_output(const float* from, WinogradSize size, int64_t point_step, int64_t channels,
                     float* to, int64_t row_step, int rows, int columns);

/// A y A', the transpose of winograd_output(). Pixel (i, j) of the gradient is at[4 * i + j].
void winograd_output_grad(const std::array<const float*, 16>& at, int64_t channels, float* to,
                          int64_t point_step);

/// Filter transform G g G'. Tap (i, j) is at from[(3 * i + j) * tap_step], or in reverse order.
void winograd_filter(const float* from, int64_t tap_step, bool reversed, int64_t channels,
                     float* to, int64_t point_step);

/// G' s G, the transpose of winograd_filter(), where s is the sum of `parts` partial results.
void winograd_filter_grad(const float* from, int64_t point_step, int64_t parts, int64_t part_step,
                          int64_t channels, float* to, int64_t tap_step);

}  // namespace antler::runtime
