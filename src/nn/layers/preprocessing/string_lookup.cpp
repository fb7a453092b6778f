#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "antler/base/hash.h"
#include "antler/core/text_tensor.h"
#include "antler/ops/core.h"
#include "antler/ops/host_map.h"
#include "nn/layers/classes.h"
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

namespace {

using Table = TokenTable<std::string>;

/// Index of one text before encoding.
int64_t index_of(const std::string& text, const Table& table, const StringLookupOptions& o) {
  if (o.mask_token && text == *o.mask_token) {
    // Where tokens are counted, the mask counts nowhere.
    return o.output_mode == "int" ? 0 : std::numeric_limits<int64_t>::max();
  }
  if (const auto found = table.find(text)) return *found;
  const auto places = static_cast<uint64_t>(o.num_oov_indices);
  if (places == 0) {
    throw ValueError(
        "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values ['" + text +
        "'], consider setting `num_oov_indices=1`.");
  }
  const uint64_t hash = places == 1      ? 0
                        : o.salt.empty() ? fingerprint64(text)
                                         : sip_hash(text, static_cast<uint64_t>(o.salt[0]),
                                                    static_cast<uint64_t>(o.salt[1]));
  return rules_of<std::string>(o).oov_start() + static_cast<int64_t>(hash % places);
}

/// Text of one index, the way back.
const std::string& token_at(int64_t index, const Table& table, const StringLookupOptions& o) {
  if (o.mask_token && index == 0) return *o.mask_token;
  const int64_t place = index - rules_of<std::string>(o).token_start();
  if (place < 0 || place >= std::ssize(table.tokens())) return o.oov_token;
  return table.tokens()[static_cast<size_t>(place)];
}

ops::HostFunctionPtr map_of(std::shared_ptr<Table> table, const StringLookupOptions& o) {
  const auto spec = [to = o.invert ? kTextDType : DType::int64](const TensorSpec& x) {
    return TensorSpec{to, x.shape};
  };
  return ops::host_function(spec, [table, o](const Tensor& x, const Tensor& out) {
    for (int64_t i = 0; i < x.size(); ++i) {
      if (o.invert) {
        out.mutable_data<uint64_t>()[i] = text_handle(token_at(x.data<int64_t>()[i], *table, o));
      } else {
        out.mutable_data<int64_t>()[i] = index_of(text_of(x.data<uint64_t>()[i]), *table, o);
      }
    }
  });
}

}  // namespace

StringLookup::StringLookup(const StringLookupOptions& options)
    : LayerBase("StringLookup", base_options(options)),
      options_(checked_lookup("StringLookup", options)),
      table_(std::make_shared<Table>(rules_of<std::string>(options_))),
      map_(map_of(table_, options_)) {
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

void StringLookup::adapt(const Tensor& data) { adapt(strings_of(data)); }

void StringLookup::set_vocabulary(const std::vector<std::string>& vocabulary,
                                  const std::optional<std::vector<double>>& idf_weights) {
  table_->set(vocabulary, idf_weights);
}

std::vector<std::string> StringLookup::get_vocabulary(bool include_special_tokens) const {
  return table_->vocabulary(include_special_tokens);
}

void StringLookup::expect_vocabulary(int64_t size) { table_->expect(size); }

void StringLookup::restore_vocabulary(const std::vector<std::string>& tokens) {
  table_->restore(tokens);
}

int64_t StringLookup::vocabulary_size() const { return table_->size(); }

Tensor StringLookup::encode(const Tensor& indices) const {
  return encode_lookup(*table_, options_.output_mode, indices);
}

Tensor StringLookup::call(const Tensor& input, const CallOptions&) {
  if (options_.invert) return ops::host_map(map_, ops::cast(input, DType::int64));
  if (input.dtype() != kTextDType) {
    throw TypeError("StringLookup: expected texts, as text_tensor() makes them. Received: " +
                    std::string(dtype_name(input.dtype())) + ".");
  }
  return encode(ops::host_map(map_, input));
}

Tensor StringLookup::call_strings(const StringTensor& input) {
  if (options_.invert) {
    throw TypeError("StringLookup: with `invert=True` the input holds indices. Received: texts.");
  }
  const Tensor indices = Tensor::empty(DType::int64, input.shape);
  auto* out = indices.mutable_data<int64_t>();
  for (const std::string& text : input.values) *out++ = index_of(text, *table_, options_);
  return encode(indices);
}

StringTensor StringLookup::call_to_strings(const Tensor& input) {
  if (!options_.invert) {
    throw ValueError("StringLookup: gives texts only with `invert=True`.");
  }
  StringTensor texts;
  texts.shape = input.shape();
  for (const int64_t index : ops::cast(input, DType::int64).to_vector<int64_t>()) {
    texts.values.push_back(token_at(index, *table_, options_));
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

LayerClasses string_lookup_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<StringLookup>(lookup_from_config<StringLookup, StringLookupOptions>)};
  return kClasses;
}

}  // namespace antler
