#pragma once

#include <array>
#include <cstdint>

/// Winograd's minimal filtering F(4 x 4, 3 x 3): 4 x 4 outputs of a 3 x 3 kernel from 6 x 6 inputs
/// by 36 products for each pair of channels, where the sum itself has 144 (Winograd 1980; Lavin and
/// Gray, "Fast Algorithms for Convolutional Neural Networks", 2016). With matrices A, B, G:
///
///   Y = A' [ (G g G') * (B' d B) ] A
///
/// The points of interpolation are 0, +-3/4, +-3/2 and infinity. With the customary 0, +-1, +-2 the
/// error of a sum is five times that of the plain sum, with these two and a half times.
///
/// Where two outputs or fewer are left at the end of a row or column of tiles a small tile takes
/// them, F(2, 3) in that dimension: 2 outputs from 4 inputs, at the points 0, +-3/4 and infinity,
/// which are four of the six. Scale factors are such that the transformed kernel serves both.
///
/// All functions walk over channels, which lie side by side. Lines of transformed values are
/// written in whole vectors of kWinogradLanes, zeros where the channels end.
namespace antler::runtime {

inline constexpr int kWinogradTile = 4;    ///< outputs of a tile along a dimension
inline constexpr int kWinogradInputs = 6;  ///< inputs that they come from
inline constexpr int kWinogradPoints = 36;
inline constexpr int kWinogradSmallTile = 2;
inline constexpr int kWinogradSmallInputs = 4;
/// Which of the six points of a dimension a small tile has.
inline constexpr std::array<bool, 6> kWinogradSmallPoints = {true, true, true, false, false, true};
inline constexpr int kWinogradLanes = 16;

/// Whether so many outputs leave some for a small tile.
constexpr bool ends_in_small_tile(int64_t outputs) {
  const int64_t left = outputs % kWinogradTile;
  return left > 0 && left <= kWinogradSmallTile;
}

/// Channels in whole vectors.
constexpr int64_t winograd_padded(int64_t channels) {
  return (channels + kWinogradLanes - 1) / kWinogradLanes * kWinogradLanes;
}

/// In which dimensions a tile is a small one.
struct WinogradSize {
  bool small_rows = false;
  bool small_columns = false;
};

/// B' d B: pixel (i, j) of the inputs is at[6 i + j], value p goes to to[p * point_step]. Of a
/// small tile only the values of its points are written.
void winograd_input(const std::array<const float*, kWinogradPoints>& at, WinogradSize size,
                    int64_t channels, float* to, int64_t point_step);

/// A' m A, the first `rows` x `columns` pixels of it, pixel (i, j) to to[i * row_step + j *
/// channels].
void winograd_output(const float* from, WinogradSize size, int64_t point_step, int64_t channels,
                     float* to, int64_t row_step, int rows, int columns);

/// A y A', the transposed of winograd_output(): pixel (i, j) of the gradient is at[4 i + j].
void winograd_output_grad(const std::array<const float*, 16>& at, int64_t channels, float* to,
                          int64_t point_step);

/// G g G': tap (i, j) of the kernel is at from[(3 i + j) * tap_step], or in reverse order.
void winograd_filter(const float* from, int64_t tap_step, bool reversed, int64_t channels,
                     float* to, int64_t point_step);

/// G' s G, the transposed of winograd_filter(), where s is the sum of `parts` arrays.
void winograd_filter_grad(const float* from, int64_t point_step, int64_t parts, int64_t part_step,
                          int64_t channels, float* to, int64_t tap_step);

}  // namespace antler::runtime
