#pragma once

#include <string>
#include <vector>

#include "antler/nn/layers/lookup.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"
#include "nn/layers/preprocessing/salt.h"
#include "nn/layers/preprocessing/token_table.h"
#include "nn/list_field.h"

/// Shared by the lookup layers.
namespace antler {

/// A redundant key of Keras's configurations, which is read and ignored.
struct Ignored {};
inline void write_field(Json&, const Ignored&) {}
inline void read_field(const Json&, Ignored&) {}

/// Keras computes these from the rest.
template <class V>
void ignored_fields(V& v) {
  Ignored ignored;
  v("vocabulary_size", ignored);
  v("has_input_vocabulary", ignored);
}

/// The fields of IntegerLookup and StringLookup, in Keras's order.
template <class V, class Options>
void lookup_fields(V& v, Options& o) {
  v("invert", o.invert);
  v("max_tokens", o.max_tokens);
  v("num_oov_indices", o.num_oov_indices);
  v("oov_token", o.oov_token);
  v("mask_token", o.mask_token);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
  v("pad_to_max_tokens", o.pad_to_max_tokens);
  constexpr bool kIntegers = requires { o.vocabulary_dtype; };
  if constexpr (kIntegers) v("vocabulary_dtype", o.vocabulary_dtype);
  list_field(v, "idf_weights", o.idf_weights);
  list_field(v, "vocabulary", o.vocabulary);
  ignored_fields(v);
  if constexpr (kIntegers) {
    v("oov_method", o.oov_method);
  } else {
    Ignored ignored;
    v("oov_method", ignored);
    v("vocabulary_dtype", ignored);
  }
  SaltField salt{o.salt};
  v("salt", salt);
}

/// Replaces an old name of an output mode.
inline std::string output_mode_of(const std::string& name) {
  return name == "binary" ? "multi_hot" : name == "tf-idf" ? "tf_idf" : name;
}

/// The options with the output mode and the salt in current form. Throws ValueError as in Keras.
template <class Options>
Options checked_lookup(const char* layer, Options o) {
  o.output_mode = output_mode_of(o.output_mode);
  check_choice(layer, "output_mode", o.output_mode,
               {"int", "one_hot", "multi_hot", "count", "tf_idf"});
  if (o.max_tokens && *o.max_tokens <= 1) {
    throw ValueError("If set, `max_tokens` must be greater than 1. Received: max_tokens={}",
                     *o.max_tokens);
  }
  if (o.pad_to_max_tokens && !o.max_tokens) {
    throw ValueError(
        "If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens=None");
  }
  if (o.num_oov_indices < 0) {
    throw ValueError(
        "`num_oov_indices` must be greater than or equal to 0. Received: num_oov_indices={}",
        o.num_oov_indices);
  }
  if (o.invert && o.output_mode != "int") {
    throw ValueError(
        "`output_mode` must be `'int'` when `invert` is true. Received: output_mode={}",
        o.output_mode);
  }
  if (o.sparse && o.output_mode == "int") {
    throw ValueError(
        "`sparse` may only be true if `output_mode` is `'one_hot'`, `'multi_hot'`, `'count'` or "
        "`'tf_idf'`. Received: sparse=True and output_mode=int");
  }
  if (o.idf_weights && o.output_mode != "tf_idf") {
    throw ValueError(
        "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: output_mode={}",
        o.output_mode);
  }
  if (o.output_mode == "tf_idf" && o.vocabulary && !o.idf_weights) {
    throw ValueError(
        "When specifying the `vocabulary` argument, in TF-IDF output mode, the `idf_weights` "
        "argument must also be provided.");
  }
  o.salt = checked_salt("IndexLookup", std::move(o.salt));
  return o;
}

/// The table of a layer, with the vocabulary that its options give.
template <class Token, class Options>
std::shared_ptr<TokenTable<Token>> table_of(const Options& o) {
  auto table = std::make_shared<TokenTable<Token>>(
      TokenRules<Token>{.max_tokens = o.max_tokens,
                        .num_oov_indices = o.num_oov_indices,
                        .mask_token = o.mask_token,
                        .oov_token = o.oov_token,
                        .invert = o.invert,
                        .output_mode = o.output_mode,
                        .pad_to_max_tokens = o.pad_to_max_tokens});
  if (o.vocabulary) table->set(*o.vocabulary, o.idf_weights);
  return table;
}

/// Index of a string. Unless the mode is "int", the mask token has an index that is out of range,
/// so that it is not counted. Throws ValueError for an unknown string if there is no index for it.
int64_t index_of(const std::string& string, const TokenTable<std::string>& table,
                 const std::vector<int64_t>& salt = {});

/// A layer from its configuration. Its vocabulary may come later, from another file.
template <class L>
LayerPtr lookup_from_config(const Json& config) {
  L layer(options_from<typename L::Options>(config, std::string(type_name<L>())));
  const auto size = config.find("vocabulary_size");
  const auto given = config.find("vocabulary");
  if (size != config.end() && size->is_number_integer() &&
      (given == config.end() || given->is_null())) {
    layer.expect_vocabulary(size->template get<int64_t>());
  }
  return layer.share();
}

}  // namespace antler
