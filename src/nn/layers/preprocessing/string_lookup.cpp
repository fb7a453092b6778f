#include <memory>
#include <string>
#include <utility>

#include "antler/core/string_handles.h"
#include "antler/ops/core.h"
#include "antler/ops/host_map.h"
#include "nn/layers/preprocessing/lookup_options.h"

namespace antler {

template <class V>
void fields(V& v, StringLookupOptions& o) {
  lookup_fields(v, o);
  v("encoding", o.encoding);
}

namespace {

using Table = TokenTable<std::string>;

const std::string& token_at(int64_t index, const Table& table) {
  table.require_vocabulary();
  const TokenRules<std::string>& rules = table.rules();
  if (rules.mask_token && index == 0) return *rules.mask_token;
  const int64_t place = index - rules.token_start();
  if (place < 0 || place >= std::ssize(table.tokens())) return rules.oov_token;
  return table.tokens()[static_cast<size_t>(place)];
}

ops::HostFunctionPtr map_of(const std::shared_ptr<Table>& table, const StringLookupOptions& o) {
  const auto spec = [to = o.invert ? kStringDType : DType::int64](const TensorSpec& x) {
    return TensorSpec{to, x.shape};
  };
  return ops::host_function(spec, [table, o](const Tensor& x, const Tensor& out) {
    for (int64_t i = 0; i < x.size(); ++i) {
      if (o.invert) {
        out.mutable_data<uint64_t>()[i] = string_handle(token_at(x.data<int64_t>()[i], *table));
      } else {
        out.mutable_data<int64_t>()[i] = index_of(string_of(x.data<uint64_t>()[i]), *table, o.salt);
      }
    }
  });
}

}  // namespace

StringLookup::StringLookup(const StringLookupOptions& options)
    : LayerOf(checked_lookup("StringLookup", options)) {
  table_ = table_of<std::string>(options_);
  map_ = map_of(table_, options_);
}

void StringLookup::adapt(const StringTensor& data) { table_->learn(data.values, data.shape); }

void StringLookup::adapt(const Tensor& data) { adapt(strings_of(data)); }

Tensor StringLookup::call(const Tensor& input, const CallOptions&) {
  if (options_.invert) return ops::host_map(map_, ops::cast(input, DType::int64));
  if (input.dtype() != kStringDType) {
    throw TypeError("StringLookup: expected strings, as string_handles() makes them. Received: {}.",
                    dtype_name(input.dtype()));
  }
  return encode(ops::host_map(map_, input));
}

Tensor StringLookup::call_strings(const StringTensor& input) {
  if (options_.invert) {
    throw TypeError("StringLookup: with `invert=True` the input holds indices. Received: strings.");
  }
  const Tensor indices = Tensor::empty(DType::int64, input.shape);
  auto* out = indices.mutable_data<int64_t>();
  for (const std::string& string : input.values) *out++ = index_of(string, *table_, options_.salt);
  return encode(indices);
}

StringTensor StringLookup::call_to_strings(const Tensor& input) {
  if (!options_.invert) {
    throw ValueError("StringLookup: the output is strings only with `invert=True`.");
  }
  StringTensor strings;
  strings.shape = input.shape();
  for (const int64_t index : ops::cast(input, DType::int64).to_vector<int64_t>()) {
    strings.values.push_back(token_at(index, *table_));
  }
  return strings;
}

Json StringLookup::get_config() const {
  Json config = LayerOf::get_config();
  config.erase("has_input_vocabulary");
  config.erase("vocabulary_dtype");
  config["oov_method"] = "floormod";
  write_vocabulary(config);
  return config;
}

LayerClasses string_lookup_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<StringLookup>(lookup_from_config<StringLookup>)};
  return kClasses;
}

}  // namespace antler
