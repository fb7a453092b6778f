#pragma once

#include <cstdint>
#include <string>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// Image data sets for examples and tests.
namespace antler::data {

/// Samples and their labels.
struct Split {
  Tensor x;
  Tensor y;
};

/// For example `auto [train, test] = data::mnist();`.
struct TrainTest {
  Split train;
  Split test;
};

/// Options of digits().
struct DigitsOptions {
  double test_fraction = 0.2;  ///< of all samples; in (0, 1)
  uint64_t seed = 0;           ///< of the order; equal seeds give equal splits on all machines
};

/// 1,797 handwritten digits of the UCI repository (E. Alpaydin, C. Kaynak, 1998; CC BY 4.0),
/// shuffled and split. The library contains them: no file and no network is needed. x: float32 [n,
/// 8, 8, 1] in [0, 1]; y: int32 [n], 0 to 9. Throws ValueError.
TrainTest digits(const DigitsOptions& options = {});
ANTLER_KEYWORD_FUNCTION(digits, DigitsOptions)

/// Options of mnist().
struct MnistOptions {
  /// The folder of train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
  /// t10k-labels-idx1-ubyte, each plain or with .gz. If empty, the first folder with all four files
  /// among $ANTLER_DATASETS/mnist, $ANTLER_DATASETS and the user's cache
  /// ($XDG_CACHE_HOME/antler/mnist, by default ~/.cache/antler/mnist).
  std::string directory = "";
  /// Whether to download missing files to `directory` or the user's cache. Their content must be
  /// that of the original files (SHA-256).
  bool download = true;
};

/// The MNIST database of handwritten digits (Y. LeCun, C. Cortes, C. Burges): 60,000 and 10,000
/// images. x: float32 [n, 28, 28, 1] in [0, 1]; y: int32 [n], 0 to 9. Throws NotFoundError with the
/// searched folders if the files are missing and cannot be downloaded; IOError for corrupt files.
TrainTest mnist(const MnistOptions& options = {});
ANTLER_KEYWORD_FUNCTION(mnist, MnistOptions)

}  // namespace antler::data
