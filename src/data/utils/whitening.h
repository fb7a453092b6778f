#pragma once

#include <cstdint>
#include <vector>

namespace antler::utils {

/// U diag(sqrt(count) / (s + epsilon)) U^T, [values, values], of the singular vectors and values of
/// `rows` [count, values] turned: what makes its columns uncorrelated with variance 1 (ZCA).
std::vector<float> whitening_matrix(const std::vector<float>& rows, int64_t count, double epsilon);

/// A row, or several of them, times that matrix.
std::vector<float> whitened(const std::vector<float>& rows, const std::vector<float>& matrix);

}  // namespace antler::utils
