#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "antler/data/keras_datasets.h"
#include "antler/io/npy.h"
#include "antler/io/zip.h"
#include "data/keras/dataset_file.h"
#include "data/numpy_shuffle.h"
#include "io/pickle.h"

namespace antler::datasets {
namespace {

using Sequences = std::vector<std::vector<int32_t>>;

struct Words {
  Sequences x;
  std::vector<int64_t> labels;
};

/// The lists of integers of a .npy entry that holds Python objects.
Sequences read_lists(const io::ZipReader& archive, const std::string& name,
                     const std::string& where) {
  const std::string bytes = archive.read(name);
  // The header's size is a number of two bytes in version 1 of the format, of four in later ones.
  constexpr size_t kVersion = 6;
  const bool long_size = bytes.size() > kVersion && bytes[kVersion] > 1;
  const size_t start = long_size ? 12 : 10;
  if (bytes.size() < start) throw IOError("{}: it is truncated.", where);
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  size_t size = byte(8) + 256 * byte(9);
  if (long_size) size += (byte(10) << 16U) + (byte(11) << 24U);
  if (size > bytes.size() - start) throw IOError("{}: it is truncated.", where);
  return io::pickle::integer_lists(
      io::pickle::parse(std::string_view(bytes).substr(start + size), where), where);
}

Words read_words(const std::string& path, const std::string& x, const std::string& y) {
  const io::ZipReader archive = io::ZipReader::open(path);
  const std::string where = "'" + path + "', " + x;
  if (!archive.contains(x + ".npy") || !archive.contains(y + ".npy")) {
    throw IOError("'{}': expected arrays {} and {}.", path, x, y);
  }
  Words words{read_lists(archive, x + ".npy", where), {}};
  for (const double label : io::parse_npy(archive.read(y + ".npy")).to_doubles()) {
    words.labels.push_back(static_cast<int64_t>(label));
  }
  if (words.x.size() != words.labels.size()) {
    throw IOError("{}: {} sequences, but {} labels.", where, words.x.size(), words.labels.size());
  }
  return words;
}

void shuffle(Words& words, std::mt19937& random) {
  std::vector<size_t> order(words.x.size());
  std::iota(order.begin(), order.end(), 0);
  data::numpy_shuffle(order, random);
  Words shuffled;
  for (const size_t i : order) {
    shuffled.x.push_back(std::move(words.x[i]));
    shuffled.labels.push_back(words.labels[i]);
  }
  words = std::move(shuffled);
}

void add_start(Sequences& sequences, const WordsOptions& o) {
  for (auto& sequence : sequences) {
    for (int32_t& word : sequence) {
      const int64_t index = word + o.index_from;
      if (index < 0 || index > std::numeric_limits<int32_t>::max())
        throw ValueError("The index {} of a word is out of range.", index);
      word = static_cast<int32_t>(index);
    }
    if (o.start_char) sequence.insert(sequence.begin(), static_cast<int32_t>(*o.start_char));
  }
}

void remove_long(Words& words, const WordsOptions& o) {
  if (!o.maxlen || *o.maxlen == 0) return;
  Words kept;
  for (size_t i = 0; i < words.x.size(); ++i) {
    if (std::ssize(words.x[i]) >= *o.maxlen) continue;
    kept.x.push_back(std::move(words.x[i]));
    kept.labels.push_back(words.labels[i]);
  }
  words = std::move(kept);
}

int64_t largest_word(const Sequences& sequences) {
  int64_t largest = 0;
  for (const auto& sequence : sequences) {
    for (const int32_t word : sequence) largest = std::max<int64_t>(largest, word);
  }
  return largest;
}

/// Replaces or removes the words outside of [skip_top, limit).
void limit_words(Sequences& sequences, const WordsOptions& o, int64_t limit) {
  for (auto& sequence : sequences) {
    const auto left_out = [&](int32_t word) { return word < o.skip_top || word >= limit; };
    if (o.oov_char) {
      std::replace_if(sequence.begin(), sequence.end(), left_out,
                      static_cast<int32_t>(*o.oov_char));
    } else {
      std::erase_if(sequence, left_out);
    }
  }
}

SequenceSplit split_of(Words words) {
  const auto count = std::ssize(words.labels);
  Tensor y = Tensor::empty(DType::int64, {count});
  std::copy(words.labels.begin(), words.labels.end(), y.mutable_data<int64_t>());
  return {std::move(words.x), std::move(y)};
}

/// Like Keras, applies `num_words` to both parts; its default is the largest word of both.
SequenceTrainTest limited(Words train, Words test, const WordsOptions& o) {
  const int64_t limit = o.num_words.value_or(0) > 0
                            ? *o.num_words
                            : std::max(largest_word(train.x), largest_word(test.x));
  limit_words(train.x, o, limit);
  limit_words(test.x, o, limit);
  return {split_of(std::move(train)), split_of(std::move(test))};
}

std::map<std::string, int64_t> word_index(const std::string& path, const std::string& name,
                                          const std::string& hash) {
  const std::string file =
      dataset_path({.name = path, .origin = kKerasOrigin + name, .hash = hash});
  try {
    return Json::parse(read_file(file)).get<std::map<std::string, int64_t>>();
  } catch (const Json::exception& error) {
    throw IOError("'{}' is not a list of words: {}", file, error.what());
  }
}

std::string name_or(const std::string& given, const char* name) {
  return given.empty() ? name : given;
}

}  // namespace

SequenceTrainTest imdb::load_data(const WordsOptions& options) {
  const std::string path =
      dataset_path({.name = name_or(options.path, "imdb.npz"),
                    .origin = kKerasOrigin + "imdb.npz",
                    .hash = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"});
  Words train = read_words(path, "x_train", "y_train");
  Words test = read_words(path, "x_test", "y_test");
  std::mt19937 random(options.seed);
  for (Words* words : {&train, &test}) {
    shuffle(*words, random);
    add_start(words->x, options);
    remove_long(*words, options);
    if (words->x.empty()) {
      throw ValueError(
          "After filtering for sequences shorter than maxlen={}, no sequence was kept. Increase "
          "maxlen.",
          options.maxlen.value_or(0));
    }
  }
  return limited(std::move(train), std::move(test), options);
}

std::map<std::string, int64_t> imdb::get_word_index(const std::string& path) {
  return word_index(path, "imdb_word_index.json", "bfafd718b763782e994055a2d397834f");
}

SequenceTrainTest reuters::load_data(const WordsOptions& options) {
  check_test_split(options.test_split);
  const std::string path =
      dataset_path({.name = name_or(options.path, "reuters.npz"),
                    .origin = kKerasOrigin + "reuters.npz",
                    .hash = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"});
  Words all = read_words(path, "x", "y");
  std::mt19937 random(options.seed);
  shuffle(all, random);
  add_start(all.x, options);
  remove_long(all, options);
  const double kept = static_cast<double>(all.x.size()) * (1 - options.test_split);
  const auto trained = static_cast<std::ptrdiff_t>(kept);
  Words test{{all.x.begin() + trained, all.x.end()},
             {all.labels.begin() + trained, all.labels.end()}};
  all.x.resize(static_cast<size_t>(trained));
  all.labels.resize(static_cast<size_t>(trained));
  return limited(std::move(all), std::move(test), options);
}

std::map<std::string, int64_t> reuters::get_word_index(const std::string& path) {
  return word_index(path, "reuters_word_index.json", "4d44cc38712099c9e383dc6e5f11a921");
}

std::vector<std::string> reuters::get_label_names() {
  return {
      "cocoa",        "grain",   "veg-oil",   "earn",
      "acq",          "wheat",   "copper",    "housing",
      "money-supply", "coffee",  "sugar",     "trade",
      "reserves",     "ship",    "cotton",    "carcass",
      "crude",        "nat-gas", "cpi",       "money-fx",
      "interest",     "gnp",     "meal-feed", "alum",
      "oilseed",      "gold",    "tin",       "strategic-metal",
      "livestock",    "retail",  "ipi",       "iron-steel",
      "rubber",       "heat",    "jobs",      "lei",
      "bop",          "zinc",    "orange",    "pet-chem",
      "dlr",          "gas",     "silver",    "wpi",
      "hog",          "lead",
  };
}

}  // namespace antler::datasets
