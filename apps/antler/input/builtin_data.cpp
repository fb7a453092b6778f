#include "input/builtin_data.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/data/datasets.h"
#include "antler/data/keras_datasets.h"
#include "antler/data/utils/arrays.h"

namespace antler::cli {
namespace {

LoadedData loaded(data::TrainTest sets) {
  LoadedData data;
  data.samples = {std::move(sets.train.x), std::move(sets.train.y)};
  data.held_out = {std::move(sets.test.x), std::move(sets.test.y)};
  return data;
}

constexpr int64_t kWords = 10000;
constexpr int64_t kLongest = 250;

/// 0 is padding and 1 an unknown word, as in TextVectorization, so that a model of these tokens
/// also reads text files.
datasets::WordsOptions words_options() {
  return {.num_words = kWords, .start_char = std::nullopt, .oov_char = 1, .index_from = 1};
}

LoadedData loaded(const datasets::SequenceTrainTest& sets,
                  const std::map<std::string, int64_t>& index, std::vector<std::string> classes) {
  TextPlan plan;
  plan.sequence_length = kLongest;
  plan.classes = std::move(classes);
  std::vector<std::pair<int64_t, std::string>> words;
  for (const auto& [word, rank] : index) {
    if (rank >= 1 && rank + 1 < kWords) words.emplace_back(rank, word);
  }
  std::sort(words.begin(), words.end());
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].first != static_cast<int64_t>(i) + 1) {
      throw IOError("The list of words has no word with the index {}.", i + 1);
    }
    plan.vocabulary.push_back(words[i].second);
  }
  const auto padded = [](const datasets::SequenceSplit& split) {
    return Samples{utils::pad_sequences(
                       split.x, {.maxlen = kLongest, .padding = "post", .truncating = "post"}),
                   split.y};
  };
  LoadedData data;
  data.samples = padded(sets.train);
  data.held_out = padded(sets.test);
  data.found = format("  read as {} words of a vocabulary of {}\n", plan.sequence_length,
                      plan.vocabulary.size());
  data.plan.text = std::move(plan);
  return data;
}

LoadedData load_imdb() {
  return loaded(datasets::imdb::load_data(words_options()), datasets::imdb::get_word_index(),
                {"negative", "positive"});
}

LoadedData load_reuters() {
  return loaded(datasets::reuters::load_data(words_options()), datasets::reuters::get_word_index(),
                datasets::reuters::get_label_names());
}

/// Sends messages about downloads to stderr: they are not part of a command's results.
class ErrorOutput {
 public:
  ErrorOutput()
      : previous_(logging::set_sink(
            [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); })) {}
  ErrorOutput(const ErrorOutput&) = delete;
  ErrorOutput& operator=(const ErrorOutput&) = delete;
  ~ErrorOutput() { logging::set_sink(std::move(previous_)); }

 private:
  logging::Sink previous_;
};

using Loader = LoadedData (*)();

const std::map<std::string, Loader>& loaders() {
  static const std::map<std::string, Loader> kLoaders = {
      {"boston_housing", [] { return loaded(datasets::boston_housing::load_data()); }},
      {"california_housing", [] { return loaded(datasets::california_housing::load_data()); }},
      {"cifar10", [] { return loaded(datasets::cifar10::load_data()); }},
      {"cifar100", [] { return loaded(datasets::cifar100::load_data()); }},
      {"digits", [] { return loaded(data::digits()); }},
      {"fashion_mnist", [] { return loaded(datasets::fashion_mnist::load_data()); }},
      {"imdb", load_imdb},
      {"mnist", [] { return loaded(datasets::mnist::load_data()); }},
      {"reuters", load_reuters},
  };
  return kLoaders;
}

}  // namespace

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const auto& [name, loader] : loaders()) names.push_back(name);
  return names;
}

bool is_builtin_data(const std::string& data) {
  std::error_code error;
  return loaders().contains(data) && !std::filesystem::exists(data, error);
}

LoadedData load_builtin_data(const std::string& name, const DataOptions& options) {
  LoadedData data;
  {
    const ErrorOutput messages;
    data = loaders().at(name)();
  }
  data.format = "built-in data set";
  if (options.label_mode == "categorical" && !is_floating(data.samples.y.dtype())) {
    const std::vector<double> labels = data.samples.y.to_doubles();
    const auto classes = static_cast<int64_t>(*std::max_element(labels.begin(), labels.end())) + 1;
    for (Tensor* y : {&data.samples.y, &data.held_out.y}) *y = utils::to_categorical(*y, classes);
  }
  return data;
}

}  // namespace antler::cli
