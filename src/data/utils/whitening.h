#pragma once

#include <cstdint>
#include <vector>

namespace antler::utils {

/// The ZCA matrix U diag(sqrt(count) / (s + epsilon)) U^T, [values, values], where U and s are the
/// left singular vectors and the singular values of the transpose of `rows` [count, values]. It
/// makes the columns of `rows` uncorrelated with variance 1.
std::vector<float> whitening_matrix(const std::vector<float>& rows, int64_t count, double epsilon);

/// One or several rows, multiplied by the matrix.
std::vector<float> whitened(const std::vector<float>& rows, const std::vector<float>& matrix);

}  // namespace antler::utils
