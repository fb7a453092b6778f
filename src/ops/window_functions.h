#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler::ops {

/// The values of a named window function, as SciPy's get_window: "hann", "hamming", "blackman",
/// "blackmanharris", "nuttall", "flattop", "boxcar", "bartlett", "triang", "parzen", "bohman",
/// "barthann", "cosine", "lanczos", "tukey". A periodic window is the symmetric window of length
/// + 1 without its last value. Throws ValueError for an unknown name.
std::vector<double> window_function(const std::string& name, int64_t length, bool periodic);

}  // namespace antler::ops
