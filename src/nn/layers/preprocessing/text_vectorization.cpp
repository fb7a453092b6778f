#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "antler/core/text_tensor.h"
#include "antler/ops/host_map.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"
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

/// Throws ValueError where words of a text cannot be told from further texts.
void check_texts(const Shape& shape, const TextVectorizationOptions& o) {
  if (!o.split || shape.rank() <= 1 || shape.back() == 1) return;
  throw ValueError(
      "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
      "shape dimension must be 1. Received: inputs.shape=" +
      shape.str() + " with rank=" + std::to_string(shape.rank()));
}

/// True where every text is one token, and the result has the shape of the input.
bool takes_tokens(const TextVectorizationOptions& o) {
  return !o.split && !o.ngrams.given() && !o.output_sequence_length;
}

/// Words of a row of texts.
Words words_of_row(const std::string* texts, int64_t count, const TextVectorizationOptions& o) {
  Words words;
  for (int64_t i = 0; i < count; ++i) {
    std::string text = standardized(texts[i], o.standardize);
    if (!o.split) {
      words.push_back(std::move(text));
      continue;
    }
    Words parts = *o.split == "character" ? split_characters(text) : split_whitespace(text);
    words.insert(words.end(), std::make_move_iterator(parts.begin()),
                 std::make_move_iterator(parts.end()));
  }
  return o.ngrams.given() ? ngrams_of(words, o.ngrams.widths()) : words;
}

/// Words of every text.
std::vector<Words> words_of(const StringTensor& input, const TextVectorizationOptions& o) {
  check_texts(input.shape, o);
  const int64_t rows = input.rank() == 0 ? 1 : input.shape[0];
  const int64_t length = rows == 0 ? 0 : std::ssize(input.values) / rows;
  std::vector<Words> all;
  for (int64_t row = 0; row < rows; ++row) {
    all.push_back(words_of_row(input.values.data() + row * length, length, o));
  }
  return all;
}

using Table = TokenTable<std::string>;

/// Indices of tokens as they are; indices of words, [batch, output_sequence_length]; or how often
/// each index stands in a text, [batch, depth].
ops::HostFunctionPtr text_map_of(std::shared_ptr<Table> table, const TextVectorizationOptions& o) {
  const bool counts = o.output_mode != "int";
  const auto spec = [table, o, counts](const TensorSpec& x) {
    if (takes_tokens(o)) return TensorSpec{DType::int64, x.shape};
    const int64_t rows = x.shape.rank() == 0 ? 1 : x.shape[0];
    return TensorSpec{DType::int64,
                      {rows, counts ? table->depth() : o.output_sequence_length.value_or(0)}};
  };
  return ops::host_function(spec, [table, o, counts](const Tensor& x, const Tensor& out) {
    const StringTensor texts = strings_of(x);
    auto* to = out.mutable_data<int64_t>();
    // Of one place for unknown words, behind that of "" under "int".
    const auto index_of = [&](const std::string& word) {
      return table->find(word).value_or(counts ? 0 : word.empty() ? 0 : 1);
    };
    if (takes_tokens(o)) {
      for (const std::string& text : texts.values) {
        const std::string token = standardized(text, o.standardize);
        *to++ = counts && token.empty() ? std::numeric_limits<int64_t>::max() : index_of(token);
      }
      return;
    }
    const int64_t width = out.dim(1);
    std::fill_n(to, out.size(), 0);
    for (const Words& words : words_of(texts, o)) {
      if (counts) {
        for (const std::string& word : words) to[index_of(word)] += word.empty() ? 0 : 1;
      } else {
        const int64_t count = std::min(width, std::ssize(words));
        for (int64_t i = 0; i < count; ++i) to[i] = index_of(words[static_cast<size_t>(i)]);
      }
      to += width;
    }
  });
}

}  // namespace

TextVectorization::TextVectorization(const TextVectorizationOptions& options)
    : LayerBase("TextVectorization", base_options(options)),
      options_(checked(options)),
      lookup_(lookup_options(options_)),
      map_(text_map_of(lookup_.table_, options_)) {
  set_autocast(false);
}

void TextVectorization::adapt(const StringTensor& data) {
  lookup_.table_->forget();
  for (const Words& words : words_of(data, options_)) lookup_.table_->count_document(words);
  lookup_.table_->learn();
}

void TextVectorization::adapt(const Tensor& data) { adapt(strings_of(data)); }

void TextVectorization::set_vocabulary(const std::vector<std::string>& vocabulary,
                                       const std::optional<std::vector<double>>& idf_weights) {
  lookup_.set_vocabulary(vocabulary, idf_weights);
}

std::vector<std::string> TextVectorization::get_vocabulary(bool include_special_tokens) const {
  return lookup_.get_vocabulary(include_special_tokens);
}

int64_t TextVectorization::vocabulary_size() const { return lookup_.vocabulary_size(); }

void TextVectorization::expect_vocabulary(int64_t size) { lookup_.expect_vocabulary(size); }

void TextVectorization::restore_vocabulary(const std::vector<std::string>& tokens) {
  lookup_.restore_vocabulary(tokens);
}

Tensor TextVectorization::call(const Tensor& input, const CallOptions&) {
  if (input.dtype() != kTextDType) {
    throw TypeError("TextVectorization: expected texts, as text_tensor() makes them. Received: " +
                    std::string(dtype_name(input.dtype())) + ".");
  }
  const bool tokens = takes_tokens(options_);
  const std::string& mode = options_.output_mode;
  if (!tokens && (mode == "one_hot" || (mode == "int" && !options_.output_sequence_length))) {
    if (input.is_value()) return call_strings(strings_of(input));
    throw ValueError(
        "TextVectorization: inside of a model the length of the result must not depend on the "
        "texts. Give `output_sequence_length` with output_mode='int', or another output_mode.");
  }
  check_texts(input.shape(), options_);
  const Tensor found = ops::host_map(map_, input);
  if (tokens) return encode_lookup(*lookup_.table_, mode, found);
  if (mode == "multi_hot") return ops::minimum(found, 1);
  return mode == "tf_idf" ? weighted_counts(*lookup_.table_, found) : found;
}

Tensor TextVectorization::call_strings(const StringTensor& input) {
  if (takes_tokens(options_)) {
    StringTensor texts = input;
    for (std::string& text : texts.values) text = standardized(text, options_.standardize);
    return lookup_.call_strings(texts);
  }
  const std::vector<Words> rows = words_of(input, options_);
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

LayerClasses text_vectorization_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<TextVectorization>(
      lookup_from_config<TextVectorization, TextVectorizationOptions>)};
  return kClasses;
}

}  // namespace antler
