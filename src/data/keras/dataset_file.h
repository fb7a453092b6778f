#pragma once

#include <string>

namespace antler::datasets {

struct DatasetFile {
  std::string name;         ///< in the cache
  std::string origin;       ///< the URL
  std::string hash = {};    ///< empty: not checked
  std::string folder = {};  ///< below the cache's folder "datasets" and below $ANTLER_DATASETS
  std::string name_elsewhere = {};  ///< in $ANTLER_DATASETS; empty: `name`
};

/// The path of a file in $ANTLER_DATASETS; empty if it is not there.
std::string own_dataset_path(const DatasetFile& file);
/// The path of a file in $ANTLER_DATASETS or in Keras's cache, downloaded if needed. Throws
/// NotFoundError, which says where to put the file.
std::string dataset_path(const DatasetFile& file);

/// Throws ValueError outside of [0, 1).
void check_test_split(double test_split);

/// The URL of Keras's data sets.
inline const std::string kKerasOrigin =
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/";

}  // namespace antler::datasets
