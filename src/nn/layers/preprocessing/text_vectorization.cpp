#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/list.h"
#include "nn/layers/preprocessing/lookup_options.h"
#include "nn/list_field.h"

namespace antler {

std::vector<int64_t> Ngrams::widths() const {
  if (list_ || widths_.empty()) return widths_;
  std::vector<int64_t> all;
  for (int64_t width = 1; width <= widths_[0]; ++width) all.push_back(width);
  return all;
}

void write_field(Json& out, const Ngrams& value) {
  if (!value.given()) {
    out = nullptr;
  } else if (value.is_list()) {
    out = value.numbers();
  } else {
    out = value.numbers()[0];
  }
}

void read_field(const Json& in, Ngrams& value) {
  if (in.is_number_integer()) {
    value = in.get<int64_t>();
  } else if (!in.is_null()) {
    std::vector<int64_t> widths;
    read_field(in, widths);
    value = std::move(widths);
  }
}

template <class V>
void fields(V& v, TextVectorizationOptions& o) {
  v("max_tokens", o.max_tokens);
  v("standardize", o.standardize);
  v("split", o.split);
  v("ngrams", o.ngrams);
  v("output_mode", o.output_mode);
  v("output_sequence_length", o.output_sequence_length);
  v("pad_to_max_tokens", o.pad_to_max_tokens);
  v("sparse", o.sparse);
  v("ragged", o.ragged);
  list_field(v, "vocabulary", o.vocabulary);
  list_field(v, "idf_weights", o.idf_weights);
  v("encoding", o.encoding);
  Ignored ignored;
  v("vocabulary_size", ignored);
  v("has_input_vocabulary", ignored);
}

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPunctuation = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'";
constexpr std::string_view kWhitespace = " \t\n\v\f\r";

TextVectorizationOptions checked(TextVectorizationOptions o) {
  constexpr const char* kLayer = "TextVectorization";
  if (o.output_mode == "binary") o.output_mode = "multi_hot";
  if (o.output_mode == "tf-idf") o.output_mode = "tf_idf";
  if (o.standardize) {
    check_choice(kLayer, "standardize", *o.standardize,
                 {"lower_and_strip_punctuation", "lower", "strip_punctuation"});
  }
  if (o.split) check_choice(kLayer, "split", *o.split, {"whitespace", "character"});
  check_choice(kLayer, "output_mode", o.output_mode,
               {"int", "one_hot", "multi_hot", "count", "tf_idf"});
  if (o.output_mode != "int" && o.output_sequence_length) {
    throw ValueError(
        "`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
        "output_sequence_length=" +
        std::to_string(*o.output_sequence_length) + ".");
  }
  if (o.ragged) {
    throw ValueError(
        "TextVectorization: `ragged=True` is not supported: rows of different lengths are filled. "
        "Received: ragged=True");
  }
  return o;
}

StringLookupOptions lookup_options(const TextVectorizationOptions& o) {
  return {.max_tokens = o.max_tokens,
          .mask_token = "",
          .vocabulary = o.vocabulary,
          .idf_weights = o.idf_weights,
          .output_mode = o.output_mode,
          .pad_to_max_tokens = o.pad_to_max_tokens,
          .sparse = o.sparse,
          .encoding = o.encoding};
}

std::string standardized(const std::string& text, const std::optional<std::string>& how) {
  if (!how) return text;
  std::string result;
  for (char c : text) {
    if (*how != "strip_punctuation" && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (*how != "lower" && kPunctuation.find(c) != std::string_view::npos) continue;
    result += c;
  }
  return result;
}

Words split_whitespace(const std::string& text) {
  Words words;
  size_t begin = text.find_first_not_of(kWhitespace);
  while (begin != std::string::npos) {
    const size_t end = text.find_first_of(kWhitespace, begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kWhitespace, end);
  }
  return words;
}

/// The code points of UTF-8.
Words split_characters(const std::string& text) {
  Words words;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (continues && !words.empty()) {
      words.back() += c;
    } else {
      words.emplace_back(1, c);
    }
  }
  return words;
}

/// All runs of each width in turn.
Words ngrams_of(const Words& words, const std::vector<int64_t>& widths) {
  Words result;
  for (const int64_t width : widths) {
    for (int64_t begin = 0; begin + width <= std::ssize(words); ++begin) {
      std::string joined = words[static_cast<size_t>(begin)];
      for (int64_t i = begin + 1; i < begin + width; ++i) {
        joined += " " + words[static_cast<size_t>(i)];
      }
      result.push_back(std::move(joined));
    }
  }
  return result;
}

}  // namespace

TextVectorization::TextVectorization(const TextVectorizationOptions& options)
    : LayerBase("TextVectorization", base_options(options)),
      options_(checked(options)),
      lookup_(lookup_options(options_)) {
  set_autocast(false);
}

std::vector<Words> TextVectorization::words_of(const StringTensor& input) const {
  const bool splits = options_.split.has_value();
  if (splits && input.rank() > 1 && input.shape.back() != 1) {
    throw ValueError(
        "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
        "shape dimension must be 1. Received: inputs.shape=" +
        input.shape.str() + " with rank=" + std::to_string(input.rank()));
  }
  const int64_t rows = input.rank() == 0 ? 1 : input.shape[0];
  const int64_t length = rows == 0 ? 0 : std::ssize(input.values) / rows;
  std::vector<Words> all;
  for (int64_t row = 0; row < rows; ++row) {
    Words words;
    for (int64_t i = row * length; i < (row + 1) * length; ++i) {
      const std::string text =
          standardized(input.values[static_cast<size_t>(i)], options_.standardize);
      if (!splits) {
        words.push_back(text);
        continue;
      }
      const Words parts =
          *options_.split == "character" ? split_characters(text) : split_whitespace(text);
      words.insert(words.end(), parts.begin(), parts.end());
    }
    all.push_back(options_.ngrams.given() ? ngrams_of(words, options_.ngrams.widths())
                                          : std::move(words));
  }
  return all;
}

void TextVectorization::adapt(const StringTensor& data) {
  lookup_.table_->forget();
  for (const Words& words : words_of(data)) lookup_.table_->count_document(words);
  lookup_.table_->learn();
}

void TextVectorization::set_vocabulary(const std::vector<std::string>& vocabulary,
                                       const std::optional<std::vector<double>>& idf_weights) {
  lookup_.set_vocabulary(vocabulary, idf_weights);
}

std::vector<std::string> TextVectorization::get_vocabulary(bool include_special_tokens) const {
  return lookup_.get_vocabulary(include_special_tokens);
}

int64_t TextVectorization::vocabulary_size() const { return lookup_.vocabulary_size(); }

Tensor TextVectorization::call_strings(const StringTensor& input) {
  if (!options_.split && !options_.ngrams.given() && !options_.output_sequence_length) {
    StringTensor texts = input;
    for (std::string& text : texts.values) text = standardized(text, options_.standardize);
    return lookup_.call_strings(texts);
  }
  const std::vector<Words> rows = words_of(input);
  size_t longest = 0;
  for (const Words& words : rows) longest = std::max(longest, words.size());
  if (options_.output_sequence_length) {
    longest = static_cast<size_t>(*options_.output_sequence_length);
  }
  // "" is the mask token: 0 under "int", and nothing where words are counted.
  StringTensor filled;
  filled.shape = {static_cast<int64_t>(rows.size()), static_cast<int64_t>(longest)};
  for (const Words& words : rows) {
    for (size_t i = 0; i < longest; ++i) {
      filled.values.push_back(i < words.size() ? words[i] : std::string());
    }
  }
  return lookup_.call_strings(filled);
}

Json TextVectorization::get_config() const {
  Json config = config_of(*this, options_);
  config.erase("has_input_vocabulary");
  config["vocabulary_size"] = vocabulary_size();
  write_vocabulary(config, *lookup_.table_, options_.output_mode,
                   rules_of<std::string>(lookup_options(options_)).token_start());
  return config;
}

VariableStore TextVectorization::save_own_variables() const { return idf_store(*lookup_.table_); }

void TextVectorization::load_own_variables(const VariableStore& store) {
  restore_idf(*lookup_.table_, store);
}

LayerPtr text_vectorization_from_config(const Json& config) {
  return TextVectorization(options_from<TextVectorizationOptions>(config, "TextVectorization"))
      .share();
}

}  // namespace antler
