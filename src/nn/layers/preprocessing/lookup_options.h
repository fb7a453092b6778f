#pragma once

#include <string>
#include <vector>

#include "antler/nn/layers/lookup.h"
#include "antler/ops/core.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"
#include "nn/layers/preprocessing/token_table.h"

/// What the lookup layers share.
namespace antler {

/// "salt" of a configuration: a number, a list of two, or nothing.
struct LookupSalt {
  std::vector<int64_t>& value;
};
inline void write_field(Json& out, const LookupSalt& field) {
  out = field.value.empty() ? Json(nullptr) : Json(field.value);
}
inline void read_field(const Json& in, LookupSalt& field) {
  field.value.clear();
  if (!in.is_null()) read_field(in, field.value);
}

/// A key of Keras that says nothing new: read and forgotten.
struct Ignored {};
inline void write_field(Json&, const Ignored&) {}
inline void read_field(const Json&, Ignored&) {}

/// Throws ValueError as Keras does; settles names and the salt.
template <class Options>
Options checked_lookup(const char* layer, Options o) {
  if (o.output_mode == "binary") o.output_mode = "multi_hot";
  if (o.output_mode == "tf-idf") o.output_mode = "tf_idf";
  check_choice(layer, "output_mode", o.output_mode,
               {"int", "one_hot", "multi_hot", "count", "tf_idf"});
  if (o.max_tokens && *o.max_tokens <= 1) {
    throw ValueError("If set, `max_tokens` must be greater than 1. Received: max_tokens=" +
                     std::to_string(*o.max_tokens));
  }
  if (o.pad_to_max_tokens && !o.max_tokens) {
    throw ValueError(
        "If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens=None");
  }
  if (o.num_oov_indices < 0) {
    throw ValueError(
        "`num_oov_indices` must be greater than or equal to 0. Received: num_oov_indices=" +
        std::to_string(o.num_oov_indices));
  }
  if (o.invert && o.output_mode != "int") {
    throw ValueError("`output_mode` must be `'int'` when `invert` is true. Received: output_mode=" +
                     o.output_mode);
  }
  if (o.sparse && o.output_mode == "int") {
    throw ValueError(
        "`sparse` may only be true if `output_mode` is `'one_hot'`, `'multi_hot'`, `'count'` or "
        "`'tf_idf'`. Received: sparse=True and output_mode=int");
  }
  if (o.idf_weights && o.output_mode != "tf_idf") {
    throw ValueError(
        "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: output_mode=" +
        o.output_mode);
  }
  if (o.output_mode == "tf_idf" && o.vocabulary && !o.idf_weights) {
    throw ValueError(
        "When specifying the `vocabulary` argument, in TF-IDF output mode, the `idf_weights` "
        "argument must also be provided.");
  }
  if (o.salt.size() > 2) {
    throw ValueError(
        "The `salt` argument for `IndexLookup` can only be a tuple of 2 integers, or a single "
        "integer. Received: " +
        std::to_string(o.salt.size()) + " numbers.");
  }
  if (o.salt.size() == 1) o.salt.push_back(o.salt[0]);
  return o;
}

/// The rules of a vocabulary from the options of a layer.
template <class Token, class Options>
TokenRules<Token> rules_of(const Options& o) {
  return {.max_tokens = o.max_tokens,
          .num_oov_indices = o.num_oov_indices,
          .mask_token = o.mask_token,
          .oov_token = o.oov_token,
          .invert = o.invert,
          .output_mode = o.output_mode,
          .pad_to_max_tokens = o.pad_to_max_tokens};
}

/// Indices as the layer's output; those above all categories count nowhere.
template <class Token>
Tensor encode_lookup(const TokenTable<Token>& table, const std::string& mode,
                     const Tensor& indices);

/// Counts of all indices times their "tf_idf" weights.
template <class Token>
Tensor weighted_counts(const TokenTable<Token>& table, const Tensor& counts);

/// What Keras keeps among the weights of a lookup: the weights of "tf_idf".
template <class Token>
VariableStore idf_store(const TokenTable<Token>& table) {
  if (table.idf_weights().empty()) return {};
  return {{"idf_weights", Tensor::of(table.idf_weights())}};
}
template <class Token>
void restore_idf(TokenTable<Token>& table, const VariableStore& store) {
  for (const auto& [name, value] : store) {
    if (name != "idf_weights") {
      throw ValueError("A lookup layer has the variable `idf_weights` only. Received: " + name);
    }
    table.restore_idf(ops::cast(value, DType::float32).template to_vector<float>());
  }
}

/// A layer from its configuration, whose vocabulary may come later.
template <class L, class Options>
LayerPtr lookup_from_config(const Json& config) {
  L layer(options_from<Options>(config, std::string(type_name<L>())));
  const auto size = config.find("vocabulary_size");
  const auto given = config.find("vocabulary");
  if (size != config.end() && size->is_number_integer() &&
      (given == config.end() || given->is_null())) {
    layer.expect_vocabulary(size->template get<int64_t>());
  }
  return layer.share();
}

/// The learned vocabulary joins the configuration, so that a copy made from it knows it.
template <class Token>
void write_vocabulary(Json& config, const TokenTable<Token>& table, const std::string& mode,
                      int64_t token_start) {
  if (table.tokens().empty()) return;
  config["vocabulary_size"] = table.size();
  if (table.given()) return;
  config["vocabulary"] = table.tokens();
  if (mode != "tf_idf") return;
  const auto begin = table.idf_weights().begin() + token_start;
  config["idf_weights"] = std::vector<double>(begin, begin + std::ssize(table.tokens()));
}

}  // namespace antler
