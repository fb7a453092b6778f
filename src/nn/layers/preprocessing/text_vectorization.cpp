#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "antler/core/string_handles.h"
#include "antler/ops/host_map.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/strings.h"
#include "nn/layers/preprocessing/lookup_options.h"

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
  ignored_fields(v);
}

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPunctuation = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'";
constexpr std::string_view kWhitespace = " \t\n\v\f\r";

TextVectorizationOptions checked(TextVectorizationOptions o) {
  constexpr const char* kLayer = "TextVectorization";
  o.output_mode = output_mode_of(o.output_mode);
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
        "output_sequence_length={}.",
        *o.output_sequence_length);
  }
  if (o.ragged) {
    throw ValueError(
        "TextVectorization: `ragged=True` is not supported; shorter rows are padded. Received: "
        "ragged=True");
  }
  return o;
}

/// The options of a StringLookup of the words.
StringLookupOptions word_lookup(const TextVectorizationOptions& o) {
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
  std::string result = *how == "strip_punctuation" ? text : to_lower(text);
  if (*how != "lower")
    std::erase_if(result, [](char c) { return kPunctuation.find(c) != std::string_view::npos; });
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

/// Splits UTF-8 into code points.
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

/// All n-grams of the first width, then of the next.
Words ngrams_of(const Words& words, const std::vector<int64_t>& widths) {
  Words result;
  for (const int64_t width : widths) {
    const auto n = static_cast<size_t>(width);
    for (size_t begin = 0; begin + n <= words.size(); ++begin) {
      result.push_back(join(std::span(words).subspan(begin, n), " "));
    }
  }
  return result;
}

/// Throws ValueError if a row contains several strings, because their words could not be told
/// apart, or if there is no row that could be extended.
void check_strings(const Shape& shape, const TextVectorizationOptions& o) {
  if (!o.split && shape.rank() == 0 && (o.ngrams.given() || o.output_sequence_length)) {
    throw ValueError(
        "TextVectorization: without `split`, `ngrams` and `output_sequence_length` need rows of "
        "strings. Received: a single string.");
  }
  if (!o.split || shape.rank() <= 1 || shape.back() == 1) return;
  throw ValueError(
      "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
      "shape dimension must be 1. Received: inputs.shape={} with rank={}",
      shape, shape.rank());
}

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

/// The words of each element of the first dimension.
std::vector<Words> words_of(const StringTensor& input, const TextVectorizationOptions& o) {
  check_strings(input.shape, o);
  const int64_t rows = input.rank() == 0 ? 1 : input.shape[0];
  const int64_t length = rows == 0 ? 0 : std::ssize(input.values) / rows;
  std::vector<Words> all;
  for (int64_t row = 0; row < rows; ++row) {
    all.push_back(words_of_row(input.values.data() + row * length, length, o));
  }
  return all;
}

/// The shape of the indices if strings are not split: the last dimension of the input holds the
/// tokens of a sample, even if there is no other.
Shape token_shape(Shape shape, const TextVectorizationOptions& o) {
  check_strings(shape, o);
  if (shape.rank() == 0) return shape;
  int64_t& length = shape[shape.rank() - 1];
  const int64_t strings = length;
  if (o.output_sequence_length) {
    length = *o.output_sequence_length;
  } else if (o.ngrams.given()) {
    length = 0;
    for (const int64_t n : o.ngrams.widths()) length += std::max<int64_t>(strings - n + 1, 0);
  }
  return shape;
}

/// Writes the indices of strings that are not split. `shape` is their token_shape.
void index_tokens(const StringTensor& input, const Shape& shape, const TextVectorizationOptions& o,
                  const TokenTable<std::string>& table, int64_t* out) {
  const int64_t length = input.rank() == 0 ? 1 : input.shape.back();
  const int64_t width = shape.rank() == 0 ? 1 : shape.back();
  const int64_t rows = width == 0 ? 0 : shape.num_elements() / width;
  for (int64_t row = 0; row < rows; ++row) {
    const Words words = words_of_row(input.values.data() + row * length, length, o);
    const int64_t count = std::min(width, std::ssize(words));
    for (int64_t i = 0; i < count; ++i) *out++ = index_of(words[static_cast<size_t>(i)], table);
    out = std::fill_n(out, width - count, 0);
  }
}

/// A host function from strings to indices. Without `split`, it returns the indices of token_shape;
/// otherwise the indices of the words, [batch, output_sequence_length], or the number of
/// occurrences of each index, [batch, depth].
ops::HostFunctionPtr string_map_of(const std::shared_ptr<TokenTable<std::string>>& table,
                                   const TextVectorizationOptions& o) {
  const bool counts = o.output_mode != "int";
  const auto spec = [table, o, counts](const TensorSpec& x) {
    if (!o.split) return TensorSpec{DType::int64, token_shape(x.shape, o)};
    const int64_t rows = x.shape.rank() == 0 ? 1 : x.shape[0];
    return TensorSpec{DType::int64,
                      {rows, counts ? table->depth() : o.output_sequence_length.value_or(0)}};
  };
  return ops::host_function(spec, [table, o, counts](const Tensor& x, const Tensor& out) {
    const StringTensor texts = strings_of(x);
    auto* to = out.mutable_data<int64_t>();
    if (!o.split) return index_tokens(texts, out.shape(), o, *table, to);
    const int64_t width = out.dim(1);
    std::fill_n(to, out.size(), 0);
    for (const Words& words : words_of(texts, o)) {
      const int64_t count = counts ? std::ssize(words) : std::min(width, std::ssize(words));
      for (int64_t i = 0; i < count; ++i) {
        const std::string& word = words[static_cast<size_t>(i)];
        if (!counts) {
          to[i] = index_of(word, *table);
        } else if (!word.empty()) {
          ++to[index_of(word, *table)];
        }
      }
      to += width;
    }
  });
}

}  // namespace

TextVectorization::TextVectorization(const TextVectorizationOptions& options)
    : LayerOf(checked(options)) {
  table_ = table_of<std::string>(checked_lookup("TextVectorization", word_lookup(options_)));
  map_ = string_map_of(table_, options_);
}

void TextVectorization::adapt(const StringTensor& data) { table_->learn(words_of(data, options_)); }

void TextVectorization::adapt(const Tensor& data) { adapt(strings_of(data)); }

Tensor TextVectorization::call(const Tensor& input, const CallOptions&) {
  if (input.dtype() != kStringDType) {
    throw TypeError(
        "TextVectorization: expected strings, as string_handles() makes them. Received: {}.",
        dtype_name(input.dtype()));
  }
  const bool split = options_.split.has_value();
  const std::string& mode = options_.output_mode;
  if (split && (mode == "one_hot" || (mode == "int" && !options_.output_sequence_length))) {
    if (input.is_value()) return call_strings(strings_of(input));
    throw ValueError(
        "TextVectorization: inside a model the length of the result must not depend on the "
        "strings. Specify `output_sequence_length` with output_mode='int', or use another "
        "output_mode.");
  }
  check_strings(input.shape(), options_);
  const Tensor found = ops::host_map(map_, input);
  if (!split) return encode(found);
  if (mode == "multi_hot") return ops::minimum(found, 1);
  return mode == "tf_idf" ? weigh(found) : found;
}

Tensor TextVectorization::call_strings(const StringTensor& input) {
  if (!options_.split) {
    const Tensor indices = Tensor::empty(DType::int64, token_shape(input.shape, options_));
    index_tokens(input, indices.shape(), options_, *table_, indices.mutable_data<int64_t>());
    return encode(indices);
  }
  const std::vector<Words> rows = words_of(input, options_);
  size_t longest = 0;
  for (const Words& words : rows) longest = std::max(longest, words.size());
  if (options_.output_sequence_length) {
    longest = static_cast<size_t>(*options_.output_sequence_length);
  }
  const Tensor indices =
      Tensor::empty(DType::int64, {std::ssize(rows), static_cast<int64_t>(longest)});
  auto* out = indices.mutable_data<int64_t>();
  for (const Words& words : rows) {
    for (size_t i = 0; i < longest; ++i) {
      *out++ = index_of(i < words.size() ? words[i] : std::string(), *table_);
    }
  }
  return encode(indices);
}

Json TextVectorization::get_config() const {
  Json config = LayerOf::get_config();
  config.erase("has_input_vocabulary");
  config["vocabulary_size"] = vocabulary_size();
  write_vocabulary(config);
  return config;
}

LayerClasses text_vectorization_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<TextVectorization>(lookup_from_config<TextVectorization>)};
  return kClasses;
}

}  // namespace antler
