#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/dynamic_embedding.h"
#include "antler/ops/core.h"
#include "antler/ops/host_map.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/dynamic_vocabulary.h"

namespace antler {

template <class V>
void fields(V& v, DynamicLookupOptions& o) {
  v("vocabulary_size", o.vocabulary_size);
  DynamicVocabularyField vocabulary{o.initial_vocabulary};
  v("initial_vocabulary", vocabulary);
  v("eviction_policy", o.eviction_policy);
}

namespace {

/// The string of a handle, or an integer in decimal; nothing for padding.
std::optional<std::string> token_of(const Tensor& x, int64_t i) {
  if (x.dtype() == kStringDType) {
    const std::string& string = string_of(x.data<uint64_t>()[i]);
    return string.empty() ? std::nullopt : std::optional(string);
  }
  const int64_t number = x.data<int64_t>()[i];
  return number == -1 ? std::nullopt : std::optional(std::to_string(number));
}

}  // namespace

/// The vocabulary, and the tokens counted so far. Threads share it.
struct DynamicLookup::Table {
  struct Entry {
    std::string token;
    int64_t count = 0;
  };
  bool of_strings = true;  ///< whether tokens are strings; else integers
  size_t capacity = 0;     ///< of `entries`
  mutable std::mutex mutex;
  std::vector<Entry> entries;
  std::map<std::string, int64_t> index;  ///< of the vocabulary
  std::vector<std::string> vocabulary;

  void set_vocabulary(std::vector<std::string> tokens) {
    const std::lock_guard lock(mutex);
    vocabulary = std::move(tokens);
    index.clear();
    for (size_t i = 0; i < vocabulary.size(); ++i) {
      index.emplace(vocabulary[i], static_cast<int64_t>(i));
    }
  }

  /// As in Keras 2: makes room, counts the tokens that are left, then adds the new ones in sorted
  /// order.
  void learn(const std::set<std::string>& seen) {
    const std::lock_guard lock(mutex);
    std::vector<std::string> fresh;
    for (const std::string& token : seen) {
      if (std::none_of(entries.begin(), entries.end(),
                       [&](const Entry& e) { return e.token == token; })) {
        fresh.push_back(token);
      }
    }
    if (!of_strings) {
      std::sort(fresh.begin(), fresh.end(), [](const std::string& a, const std::string& b) {
        return std::stoll(a) < std::stoll(b);
      });
    }
    while (!entries.empty() && entries.size() + fresh.size() > capacity) {
      entries.erase(
          std::min_element(entries.begin(), entries.end(),
                           [](const Entry& a, const Entry& b) { return a.count < b.count; }));
    }
    for (Entry& entry : entries) entry.count += seen.contains(entry.token) ? 1 : 0;
    for (std::string& token : fresh) {
      if (entries.size() < capacity) entries.push_back({std::move(token), 1});
    }
  }

  std::vector<std::string> top(size_t k) const {
    const std::lock_guard lock(mutex);
    std::vector<Entry> sorted = entries;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Entry& a, const Entry& b) { return a.count > b.count; });
    std::vector<std::string> tokens;
    for (size_t i = 0; i < std::min(k, sorted.size()); ++i) tokens.push_back(sorted[i].token);
    return tokens;
  }
};

DynamicLookup::DynamicLookup(const DynamicLookupOptions& options)
    : LayerOf(options), table_(std::make_shared<Table>()) {
  if (options_.eviction_policy != "LFU") {
    throw ValueError(
        "{} eviction policy is currently unsupported by DynamicLookup layer. It currently only "
        "supports `LFU`",
        options_.eviction_policy);
  }
  std::vector<std::string> tokens = to_strings(options_.initial_vocabulary);
  if (options_.vocabulary_size < 1 || tokens.empty()) {
    throw ValueError(
        "DynamicLookup: `vocabulary_size` must be positive and `initial_vocabulary` must not be "
        "empty. Received: vocabulary_size={} and {} tokens.",
        options_.vocabulary_size, tokens.size());
  }
  table_->of_strings = holds_strings(options_.initial_vocabulary);
  table_->capacity = static_cast<size_t>(static_cast<float>(options_.vocabulary_size) * 1.2F);
  if (tokens.size() > table_->capacity) {
    throw ValueError(
        "DynamicLookup: `initial_vocabulary` has {} tokens, but the table for vocabulary_size={} "
        "has room for {}.",
        tokens.size(), options_.vocabulary_size, table_->capacity);
  }
  for (const std::string& token : tokens) table_->entries.push_back({token, 0});
  table_->set_vocabulary(std::move(tokens));
  const auto spec = [](const TensorSpec& x) { return TensorSpec{DType::int64, x.shape}; };
  const auto look_up = [table = table_, unknown = options_.vocabulary_size](const Tensor& x,
                                                                            const Tensor& out) {
    const std::lock_guard lock(table->mutex);
    for (int64_t i = 0; i < x.size(); ++i) {
      const auto token = token_of(x, i);
      const auto found = token ? table->index.find(*token) : table->index.end();
      out.mutable_data<int64_t>()[i] = found != table->index.end() ? found->second : unknown;
    }
  };
  look_up_ = ops::host_function(spec, look_up);
  learn_ = ops::host_function(spec, [table = table_, look_up](const Tensor& x, const Tensor& out) {
    std::set<std::string> seen;
    for (int64_t i = 0; i < x.size(); ++i) {
      if (auto token = token_of(x, i)) seen.insert(std::move(*token));
    }
    table->learn(seen);
    look_up(x, out);
  });
  set_autocast(false);
}

DynamicLookup::DynamicLookup(int64_t vocabulary_size, DynamicVocabulary initial_vocabulary,
                             DynamicLookupOptions options)
    : DynamicLookup(by_position<&DynamicLookupOptions::vocabulary_size,
                                &DynamicLookupOptions::initial_vocabulary>(
          "DynamicLookup", std::move(options), vocabulary_size, std::move(initial_vocabulary))) {}

CallSignature DynamicLookup::call_signature() const {
  return {.inputs = {"inputs"}, .keywords = {"learn_vocab"}};
}

Tensor DynamicLookup::call(const Tensor& input, const CallOptions& options) {
  const bool strings = input.dtype() == kStringDType;
  if (strings != table_->of_strings || (!strings && !is_integer(input.dtype()))) {
    throw TypeError("DynamicLookup: expected {}. Received: {}.",
                    table_->of_strings ? "strings, as string_handles() makes them" : "integers",
                    dtype_name(input.dtype()));
  }
  const Tensor x = strings ? input : ops::cast(input, DType::int64);
  return ops::host_map(options.flag("learn_vocab", true) ? learn_ : look_up_, x);
}

std::vector<std::string> DynamicLookup::get_vocabulary() const {
  const std::lock_guard lock(table_->mutex);
  return table_->vocabulary;
}

void DynamicLookup::set_vocabulary(const std::vector<std::string>& vocabulary) {
  table_->set_vocabulary(vocabulary);
}

std::vector<std::string> DynamicLookup::get_top_vocabulary(int64_t k) const {
  return table_->top(static_cast<size_t>(std::max<int64_t>(k, 0)));
}

Json DynamicLookup::get_config() const {
  DynamicLookupOptions now = options_;
  now.initial_vocabulary = from_strings(get_vocabulary(), table_->of_strings);
  return config_of(*this, now);
}

LayerClasses dynamic_lookup_layers() { return layer_classes<DynamicLookup>(); }

}  // namespace antler
