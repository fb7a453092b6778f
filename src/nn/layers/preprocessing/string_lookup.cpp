#include <limits>
#include <string>
#include <utility>

#include "antler/base/hash.h"
#include "antler/ops/elementwise.h"
#include "nn/layers/preprocessing/list.h"
#include "nn/layers/preprocessing/lookup_options.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, StringLookupOptions& o) {
  v("invert", o.invert);
  v("max_tokens", o.max_tokens);
  v("num_oov_indices", o.num_oov_indices);
  v("oov_token", o.oov_token);
  v("mask_token", o.mask_token);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
  v("pad_to_max_tokens", o.pad_to_max_tokens);
  list_field(v, "idf_weights", o.idf_weights);
  list_field(v, "vocabulary", o.vocabulary);
  Ignored ignored;
  v("vocabulary_size", ignored);
  v("has_input_vocabulary", ignored);
  v("oov_method", ignored);
  v("vocabulary_dtype", ignored);
  LookupSalt salt{o.salt};
  v("salt", salt);
  v("encoding", o.encoding);
}

StringLookup::StringLookup(const StringLookupOptions& options)
    : LayerBase("StringLookup", base_options(options)),
      options_(checked_lookup("StringLookup", options)),
      table_(std::make_shared<TokenTable<std::string>>(rules_of<std::string>(options_))) {
  set_autocast(false);
  if (options_.vocabulary) table_->set(*options_.vocabulary, options_.idf_weights);
}

void StringLookup::adapt(const StringTensor& data) {
  table_->forget();
  const int64_t rows = data.rank() == 0 ? 1 : data.shape[0];
  const int64_t length = rows == 0 ? 0 : std::ssize(data.values) / rows;
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = data.values.begin() + row * length;
    table_->count_document(std::vector<std::string>(begin, begin + length));
  }
  table_->learn();
}

void StringLookup::set_vocabulary(const std::vector<std::string>& vocabulary,
                                  const std::optional<std::vector<double>>& idf_weights) {
  table_->set(vocabulary, idf_weights);
}

std::vector<std::string> StringLookup::get_vocabulary(bool include_special_tokens) const {
  return table_->vocabulary(include_special_tokens);
}

int64_t StringLookup::vocabulary_size() const { return table_->size(); }

Tensor StringLookup::find(const StringTensor& input) const {
  if (options_.invert) {
    throw TypeError("StringLookup: with `invert=True` the input holds indices. Received: texts.");
  }
  const Tensor indices = Tensor::empty(DType::int64, input.shape);
  auto* out = indices.mutable_data<int64_t>();
  const int64_t start = rules_of<std::string>(options_).oov_start();
  const auto places = static_cast<uint64_t>(options_.num_oov_indices);
  for (const std::string& text : input.values) {
    int64_t& index = *out++;
    if (options_.mask_token && text == *options_.mask_token) {
      // Where tokens are counted, the mask counts nowhere.
      index = options_.output_mode == "int" ? 0 : std::numeric_limits<int64_t>::max();
    } else if (const auto found = table_->find(text)) {
      index = *found;
    } else if (places == 0) {
      throw ValueError(
          "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values ['" +
          text + "'], consider setting `num_oov_indices=1`.");
    } else {
      const uint64_t hash = places == 1 ? 0
                            : options_.salt.empty()
                                ? fingerprint64(text)
                                : sip_hash(text, static_cast<uint64_t>(options_.salt[0]),
                                           static_cast<uint64_t>(options_.salt[1]));
      index = start + static_cast<int64_t>(hash % places);
    }
  }
  return indices;
}

Tensor StringLookup::encode(const Tensor& indices) const {
  return encode_lookup(*table_, options_.output_mode, indices);
}

Tensor StringLookup::call_strings(const StringTensor& input) { return encode(find(input)); }

StringTensor StringLookup::call_to_strings(const Tensor& input) {
  if (!options_.invert) {
    throw ValueError("StringLookup: gives texts only with `invert=True`.");
  }
  const std::vector<std::string> all = table_->vocabulary(true);
  const int64_t start = rules_of<std::string>(options_).token_start();
  StringTensor texts;
  texts.shape = input.shape();
  for (const int64_t index : ops::cast(input, DType::int64).to_vector<int64_t>()) {
    if (options_.mask_token && index == 0) {
      texts.values.push_back(*options_.mask_token);
    } else if (index >= start && index < std::ssize(all)) {
      texts.values.push_back(all[static_cast<size_t>(index)]);
    } else {
      texts.values.push_back(options_.oov_token);
    }
  }
  return texts;
}

Json StringLookup::get_config() const {
  Json config = config_of(*this, options_);
  config.erase("has_input_vocabulary");
  config.erase("vocabulary_dtype");
  config["oov_method"] = "floormod";
  write_vocabulary(config, *table_, options_.output_mode,
                   rules_of<std::string>(options_).token_start());
  return config;
}

VariableStore StringLookup::save_own_variables() const { return idf_store(*table_); }

void StringLookup::load_own_variables(const VariableStore& store) { restore_idf(*table_, store); }

LayerPtr string_lookup_from_config(const Json& config) {
  return StringLookup(options_from<StringLookupOptions>(config, "StringLookup")).share();
}

}  // namespace antler
