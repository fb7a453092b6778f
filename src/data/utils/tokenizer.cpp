#include "antler/data/utils/tokenizer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "base/digest.h"
#include "base/strings.h"

namespace antler::utils {
namespace {

/// The remainder of a number in hexadecimal digits; `divisor` is in [1, 2^60).
uint64_t remainder_of(std::string_view digits, uint64_t divisor) {
  uint64_t remainder = 0;
  for (const char c : digits) {
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    remainder = (remainder * 16 + static_cast<uint64_t>(digit)) % divisor;
  }
  return remainder;
}

/// The code points of a UTF-8 string.
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> all;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (continues && !all.empty()) {
      all.back() += c;
    } else {
      all.emplace_back(1, c);
    }
  }
  return all;
}

template <class Map>
std::string json_string(const Map& map) {
  Json json = Json::object();
  for (const auto& [key, value] : map) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(key)>>) {
      json[std::to_string(key)] = value;
    } else {
      json[key] = value;
    }
  }
  return json.dump();
}

}  // namespace

std::vector<std::string> text_to_word_sequence(const std::string& text,
                                               const WordOptions& options) {
  if (options.split.empty()) {
    throw ValueError("text_to_word_sequence: `split` must not be empty.");
  }
  std::string joined;
  for (const char c : options.lower ? to_lower(text) : text) {
    if (options.filters.find(c) == std::string::npos) {
      joined += c;
    } else {
      joined += options.split;
    }
  }
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= joined.size();) {
    const size_t end = std::min(joined.find(options.split, begin), joined.size());
    if (end > begin) words.push_back(joined.substr(begin, end - begin));
    begin = end + options.split.size();
  }
  return words;
}

std::vector<int64_t> hashing_trick(const std::string& text, int64_t n,
                                   const std::optional<std::string>& hash_function,
                                   const WordOptions& options) {
  if (n < 2) throw ValueError("hashing_trick: `n` must be 2 or more. Received: {}", n);
  if (hash_function && *hash_function != "md5") {
    throw ValueError("hashing_trick: unknown `hash_function` '{}'. Expected 'md5' or nullopt.",
                     *hash_function);
  }
  const auto bins = static_cast<uint64_t>(n - 1);
  std::vector<int64_t> numbers;
  for (const std::string& word : text_to_word_sequence(text, options)) {
    const uint64_t bin = hash_function ? remainder_of(md5(word), bins) : fingerprint64(word) % bins;
    numbers.push_back(static_cast<int64_t>(bin) + 1);
  }
  return numbers;
}

std::vector<int64_t> one_hot(const std::string& text, int64_t n, const WordOptions& options) {
  return hashing_trick(text, n, {}, options);
}

std::vector<std::string> Tokenizer::words_of(const std::string& text) const {
  if (options_.char_level) return characters(options_.lower ? to_lower(text) : text);
  return text_to_word_sequence(
      text, {.filters = options_.filters, .lower = options_.lower, .split = options_.split});
}

void Tokenizer::fit_on_texts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    ++document_count_;
    const std::vector<std::string> words = words_of(text);
    for (const std::string& word : words) {
      const auto [place, is_new] = place_.emplace(word, counts_.size());
      if (is_new) counts_.emplace_back(word, 0);
      ++counts_[place->second].second;
    }
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
      ++word_docs_[word];
    }
  }
  auto sorted = counts_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  word_index_.clear();
  index_word_.clear();
  int64_t next = 0;
  const auto number = [&](const std::string& word) {
    word_index_[word] = ++next;
    index_word_[next] = word;
  };
  if (options_.oov_token) number(*options_.oov_token);
  for (const auto& [word, count] : sorted) number(word);
  for (const auto& [word, count] : word_docs_) index_docs_[word_index_[word]] = count;
}

void Tokenizer::fit_on_sequences(const Sequences& sequences) {
  document_count_ += std::ssize(sequences);
  for (const auto& sequence : sequences) {
    for (const int64_t i : std::set<int64_t>(sequence.begin(), sequence.end())) ++index_docs_[i];
  }
}

Tokenizer::Sequences Tokenizer::texts_to_sequences(const std::vector<std::string>& texts) const {
  std::optional<int64_t> oov;
  if (options_.oov_token && word_index_.contains(*options_.oov_token)) {
    oov = word_index_.at(*options_.oov_token);
  }
  Sequences sequences;
  for (const std::string& text : texts) {
    std::vector<int64_t>& sequence = sequences.emplace_back();
    for (const std::string& word : words_of(text)) {
      const auto found = word_index_.find(word);
      const bool known = found != word_index_.end() && (options_.num_words.value_or(0) == 0 ||
                                                        found->second < *options_.num_words);
      if (known) {
        sequence.push_back(found->second);
      } else if (oov) {
        sequence.push_back(*oov);
      }
    }
  }
  return sequences;
}

std::vector<std::string> Tokenizer::sequences_to_texts(const Sequences& sequences) const {
  std::vector<std::string> texts;
  for (const auto& sequence : sequences) {
    std::string text;
    for (const int64_t number : sequence) {
      const auto found = index_word_.find(number);
      const bool known = found != index_word_.end() &&
                         (options_.num_words.value_or(0) == 0 || number < *options_.num_words);
      if (!known && !options_.oov_token) continue;
      text += (text.empty() ? "" : " ") + (known ? found->second : *options_.oov_token);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

Tensor Tokenizer::texts_to_matrix(const std::vector<std::string>& texts,
                                  const std::string& mode) const {
  return sequences_to_matrix(texts_to_sequences(texts), mode);
}

Tensor Tokenizer::sequences_to_matrix(const Sequences& sequences, const std::string& mode) const {
  if (mode != "binary" && mode != "count" && mode != "freq" && mode != "tfidf") {
    throw ValueError("Unknown vectorization mode: {}", mode);
  }
  int64_t width = options_.num_words.value_or(0);
  if (width == 0) {
    if (word_index_.empty()) {
      throw ValueError(
          "Specify a dimension (`num_words` argument), or fit on some text data first.");
    }
    width = std::ssize(word_index_) + 1;
  }
  if (mode == "tfidf" && document_count_ == 0) {
    throw ValueError("Fit the Tokenizer on some data before using tfidf mode.");
  }
  const Tensor matrix =
      Tensor::full(DType::float64, {static_cast<int64_t>(sequences.size()), width}, 0.0);
  auto* row = matrix.mutable_data<double>();
  for (const auto& sequence : sequences) {
    for (const int64_t number : sequence) {
      if (number >= 0 && number < width) row[number] += 1;
    }
    for (int64_t i = 0; i < width; ++i) {
      if (row[i] == 0) continue;
      if (mode == "binary") row[i] = 1;
      if (mode == "freq") row[i] /= static_cast<double>(sequence.size());
      if (mode != "tfidf") continue;
      const auto docs = index_docs_.find(i);
      const double with = docs == index_docs_.end() ? 0 : static_cast<double>(docs->second);
      row[i] =
          (1 + std::log(row[i])) * std::log(1 + static_cast<double>(document_count_) / (1 + with));
    }
    row += width;
  }
  return matrix;
}

Json Tokenizer::get_config() const {
  Json config = Json::object();
  config["num_words"] = options_.num_words ? Json(*options_.num_words) : Json(nullptr);
  config["filters"] = options_.filters;
  config["lower"] = options_.lower;
  config["split"] = options_.split;
  config["char_level"] = options_.char_level;
  config["oov_token"] = options_.oov_token ? Json(*options_.oov_token) : Json(nullptr);
  config["document_count"] = document_count_;
  config["word_counts"] = json_string(counts_);
  config["word_docs"] = json_string(word_docs_);
  config["index_docs"] = json_string(index_docs_);
  config["index_word"] = json_string(index_word_);
  config["word_index"] = json_string(word_index_);
  return config;
}

std::string Tokenizer::to_json() const {
  return Json{{"class_name", "Tokenizer"}, {"config", get_config()}}.dump();
}

Tokenizer tokenizer_from_json(const std::string& json) {
  try {
    const Json config = Json::parse(json).at("config");
    const auto each = [&](const char* name, const auto& take) {
      const Json table = Json::parse(config.at(name).get<std::string>());
      for (const auto& [key, value] : table.items()) take(key, value);
    };
    TokenizerOptions options;
    if (!config.at("num_words").is_null()) options.num_words = config["num_words"].get<int64_t>();
    options.filters = config.at("filters").get<std::string>();
    options.lower = config.at("lower").get<bool>();
    options.split = config.at("split").get<std::string>();
    options.char_level = config.at("char_level").get<bool>();
    if (!config.at("oov_token").is_null())
      options.oov_token = config["oov_token"].get<std::string>();
    Tokenizer tokenizer(options);
    tokenizer.document_count_ = config.at("document_count").get<int64_t>();
    each("word_counts", [&](const std::string& word, const Json& count) {
      tokenizer.place_[word] = tokenizer.counts_.size();
      tokenizer.counts_.emplace_back(word, count.get<int64_t>());
    });
    each("word_docs", [&](const std::string& word, const Json& count) {
      tokenizer.word_docs_[word] = count.get<int64_t>();
    });
    each("index_docs", [&](const std::string& index, const Json& count) {
      tokenizer.index_docs_[std::stoll(index)] = count.get<int64_t>();
    });
    each("word_index", [&](const std::string& word, const Json& index) {
      tokenizer.word_index_[word] = index.get<int64_t>();
    });
    each("index_word", [&](const std::string& index, const Json& word) {
      tokenizer.index_word_[std::stoll(index)] = word.get<std::string>();
    });
    return tokenizer;
  } catch (const std::exception& error) {
    throw ValueError("tokenizer_from_json: this is not the JSON of a tokenizer. {}", error.what());
  }
}

}  // namespace antler::utils
