#include "data/utils/whitening.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace antler::utils {
namespace {

double square(const std::vector<double>& v) {
  return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
}

/// Makes vectors orthogonal by rotating pairs of them (one-sided Jacobi). Their norms are then the
/// singular values, and their directions the singular vectors.
void orthogonalize(std::vector<std::vector<double>>& vectors) {
  constexpr int kSweeps = 60;
  constexpr double kTolerance = 1e-15;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    for (size_t i = 0; i + 1 < vectors.size(); ++i) {
      for (size_t k = i + 1; k < vectors.size(); ++k) {
        const double aa = square(vectors[i]);
        const double bb = square(vectors[k]);
        const double ab =
            std::inner_product(vectors[i].begin(), vectors[i].end(), vectors[k].begin(), 0.0);
        if (ab == 0 || std::abs(ab) <= kTolerance * std::sqrt(aa * bb)) continue;
        rotated = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1 / std::hypot(1.0, t);
        const double sine = cosine * t;
        for (size_t j = 0; j < vectors[i].size(); ++j) {
          const double a = vectors[i][j], b = vectors[k][j];
          vectors[i][j] = cosine * a - sine * b;
          vectors[k][j] = sine * a + cosine * b;
        }
      }
    }
    if (!rotated) return;
  }
}

}  // namespace

std::vector<float> whitening_matrix(const std::vector<float>& rows, int64_t count, double epsilon) {
  const auto n = static_cast<size_t>(count);
  const size_t size = rows.size() / n;
  // The vectors s_i u_i are in the span of the rows, and rotating the rows yields them. There are
  // at most `size` of them, so rows are processed in blocks: of 2 * `size` rotated rows, half are
  // zero.
  std::vector<std::vector<double>> vectors;
  for (size_t i = 0; i < n; ++i) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * size);
    vectors.emplace_back(row, row + static_cast<std::ptrdiff_t>(size));
    if (vectors.size() < 2 * size && i + 1 < n) continue;
    orthogonalize(vectors);
    std::sort(vectors.begin(), vectors.end(),
              [](const auto& a, const auto& b) { return square(a) > square(b); });
    if (vectors.size() > size) vectors.resize(size);
  }
  std::vector<float> matrix(size * size, 0.0F);
  std::vector<double> sums(size * size, 0.0);
  for (const std::vector<double>& v : vectors) {
    const double norm = std::sqrt(square(v));
    if (norm == 0) continue;
    const double weight = std::sqrt(static_cast<double>(n)) / (norm + epsilon) / (norm * norm);
    for (size_t i = 0; i < size; ++i) {
      for (size_t k = 0; k < size; ++k) sums[i * size + k] += weight * v[i] * v[k];
    }
  }
  std::transform(sums.begin(), sums.end(), matrix.begin(),
                 [](double x) { return static_cast<float>(x); });
  return matrix;
}

std::vector<float> whitened(const std::vector<float>& rows, const std::vector<float>& matrix) {
  const auto size = static_cast<size_t>(std::sqrt(static_cast<double>(matrix.size())) + 0.5);
  std::vector<float> out(rows.size());
  for (size_t row = 0; row < rows.size() / size; ++row) {
    for (size_t k = 0; k < size; ++k) {
      double sum = 0;
      for (size_t i = 0; i < size; ++i) {
        sum += static_cast<double>(rows[row * size + i]) * matrix[i * size + k];
      }
      out[row * size + k] = static_cast<float>(sum);
    }
  }
  return out;
}

}  // namespace antler::utils
