#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/data/datasets.h"

/// keras.datasets: the same arrays, in the same order, from the same files.
///
///     const auto [train, test] = datasets::mnist::load_data();
///
/// A file is taken from $ANTLER_DATASETS, if it is there, or else from Keras's cache (~/.keras, or
/// $KERAS_HOME, folder datasets), to which it is downloaded if it is missing or its hash differs.
/// All functions throw NotFoundError, which says where to put which file, if it cannot be
/// downloaded, and IOError for a corrupt file.
namespace antler::datasets {

using data::Split;
using data::TrainTest;

/// Sequences of word indices of different lengths, and their labels.
struct SequenceSplit {
  std::vector<std::vector<int32_t>> x;
  Tensor y;  ///< int64 [n]
};
/// Both parts of a data set of texts.
struct SequenceTrainTest {
  SequenceSplit train;
  SequenceSplit test;
};

namespace mnist {
/// 60,000 and 10,000 handwritten digits (Y. LeCun, C. Cortes): uint8 [n, 28, 28], labels uint8 [n].
/// `path`: the file's name in the cache. If the IDX files of data::mnist() are present, they are
/// read instead, because they hold the same arrays. data::mnist() returns the images scaled for use
/// as a model's inputs.
TrainTest load_data(const std::string& path = "mnist.npz");
}  // namespace mnist

namespace fashion_mnist {
/// 60,000 and 10,000 pictures of ten kinds of clothes (Zalando): uint8 [n, 28, 28], labels uint8
/// [n].
TrainTest load_data();
}  // namespace fashion_mnist

namespace cifar10 {
/// 50,000 and 10,000 photographs of ten kinds (A. Krizhevsky): uint8 [n, 32, 32, 3], labels uint8
/// [n, 1].
TrainTest load_data();
}  // namespace cifar10

namespace cifar100 {
/// The same with 100 kinds (`label_mode` "fine") or 20 groups of them ("coarse"). Throws ValueError
/// for another mode.
TrainTest load_data(const std::string& label_mode = "fine");
}  // namespace cifar100

/// Arguments of imdb::load_data, in Keras's order, and of reuters::load_data, which has
/// `test_split` too.
struct WordsOptions {
  std::string path = {};                  ///< name in the cache; empty: "imdb.npz", "reuters.npz"
  std::optional<int64_t> num_words = {};  ///< only words below this index; not given: all
  int64_t skip_top = 0;                   ///< words below this index are left out
  std::optional<int64_t> maxlen = {};     ///< sequences of this length and longer are left out
  double test_split = 0.2;                ///< of Reuters: the part that is the test set
  uint32_t seed = 113;                    ///< of the order
  std::optional<int64_t> start_char = 1;  ///< first index of each sequence; none: no such index
  std::optional<int64_t> oov_char = 2;    ///< replaces words left out; none: they are removed
  int64_t index_from = 3;                 ///< added to all indices of words
};

namespace imdb {
/// 25,000 and 25,000 film reviews (A. L. Maas et al., 2011), labels 0 (bad) and 1. Throws
/// ValueError if `maxlen` leaves no sequence.
SequenceTrainTest load_data(const WordsOptions& options = {});
ANTLER_KEYWORD_FUNCTION(load_data, WordsOptions)
/// The index of each word, from 1, without `index_from`.
std::map<std::string, int64_t> get_word_index(const std::string& path = "imdb_word_index.json");
}  // namespace imdb

namespace reuters {
/// 11,228 newswires of 46 topics. Throws ValueError for a split outside of [0, 1).
SequenceTrainTest load_data(const WordsOptions& options = {});
ANTLER_KEYWORD_FUNCTION(load_data, WordsOptions)
std::map<std::string, int64_t> get_word_index(const std::string& path = "reuters_word_index.json");
/// The topics, by label.
std::vector<std::string> get_label_names();
}  // namespace reuters

/// Arguments of the housing data sets.
struct HousingOptions {
  std::string path = {};    ///< name in the cache; empty: the set's own
  double test_split = 0.2;  ///< fraction of the rows that are for tests, in [0, 1)
  uint32_t seed = 113;      ///< of the order
};

namespace boston_housing {
/// 506 districts of Boston: float64 [n, 13], median prices in 1,000 dollars, float64 [n]. Keras
/// advises against its use: one attribute assumes that segregation by race determines prices.
/// Throws ValueError for a split outside of [0, 1).
TrainTest load_data(const HousingOptions& options = {});
ANTLER_KEYWORD_FUNCTION(load_data, HousingOptions)
}  // namespace boston_housing

namespace california_housing {
/// 20,640 districts of California ("large"), or 600 of them ("small"): float32 [n, 8], median
/// prices in dollars, float32 [n]. Throws ValueError for another version, and for a split outside
/// of [0, 1).
TrainTest load_data(const std::string& version = "large", const HousingOptions& options = {});
}  // namespace california_housing

}  // namespace antler::datasets
