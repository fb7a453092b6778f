#include "antler/estimator/warm_start.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/estimator/scaffold.h"
#include "antler/io/tensor_bundle.h"
#include "base/regex.h"
#include "base/strings.h"

namespace antler::estimator {
namespace {

namespace fs = std::filesystem;

using NamedVariable = std::pair<std::string, Variable>;

constexpr const char* kNoPath = "`ckpt_to_initialize_from` MUST be set in WarmStartSettings";

/// The prefix of the variables of a SavedModel; the path itself if it is not a SavedModel.
std::string inside_saved_model(const std::string& path) {
  const std::string variables = (fs::path(path) / "variables" / "variables").string();
  return fs::exists(variables + ".index") ? variables : path;
}

io::TensorBundle open_checkpoint(const std::string& path) {
  std::string prefix = inside_saved_model(path);
  if (fs::is_directory(prefix)) {
    const auto latest = latest_checkpoint(prefix);
    if (!latest) {
      throw ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory {}",
                       path);
    }
    prefix = *latest;
  } else if (!fs::exists(prefix + ".index")) {
    throw NotFoundError("There is no checkpoint to warm-start from: '{}'.", path);
  }
  return io::TensorBundle::open(prefix);
}

/// Adds those whose names start with a match of the expression, as with Python's re.match().
void add_matching(const std::vector<NamedVariable>& all, const std::string& expression,
                  std::vector<NamedVariable>& chosen) {
  const Regex regex(expression, "`vars_to_warm_start`:");
  for (const NamedVariable& entry : all) {
    if (regex.match(entry.first + ":0")) chosen.push_back(entry);
  }
}

std::vector<NamedVariable> chosen_variables(const Graph& graph, const WarmStartSettings& settings) {
  const std::vector<NamedVariable> all = graph.variables(Collection::global);
  std::vector<NamedVariable> chosen;
  const auto* list = settings.vars_to_warm_start
                         ? std::get_if<std::vector<std::string>>(&*settings.vars_to_warm_start)
                         : nullptr;
  const auto* variables =
      settings.vars_to_warm_start ? std::get_if<Variables>(&*settings.vars_to_warm_start) : nullptr;
  if (list != nullptr) {
    for (const std::string& expression : *list) add_matching(all, expression, chosen);
  } else if (variables != nullptr) {
    for (const Variable& variable : *variables) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const NamedVariable& entry) {
        return entry.second == variable;
      });
      if (found == all.end()) {
        throw ValueError("The variable `{}` of `vars_to_warm_start` is not in the graph.",
                         variable.path());
      }
      chosen.push_back(*found);
    }
  } else {
    logging::info("Warm-starting variables only in TRAINABLE_VARIABLES.");
    std::vector<NamedVariable> trainable;
    std::copy_if(all.begin(), all.end(), std::back_inserter(trainable),
                 [](const NamedVariable& entry) { return entry.second.trainable(); });
    const std::string* expression = settings.vars_to_warm_start
                                        ? std::get_if<std::string>(&*settings.vars_to_warm_start)
                                        : nullptr;
    add_matching(trainable, expression != nullptr ? *expression : "", chosen);
  }
  // Several expressions may match a variable.
  std::set<std::string> seen;
  std::erase_if(chosen, [&](const NamedVariable& e) { return !seen.insert(e.first).second; });
  return chosen;
}

/// The first `size` lines of a file; all if it is -1.
std::vector<std::string> read_vocabulary(const std::string& path, int64_t size) {
  std::vector<std::string> words;
  const std::string text = read_file(path);
  for (size_t at = 0; at < text.size() && std::ssize(words) != size;) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string word = text.substr(at, end - at);
    if (word.ends_with('\r')) word.pop_back();
    words.push_back(std::move(word));
    at = end + 1;
  }
  if (size >= 0 && std::ssize(words) < size) {
    throw ValueError("The vocabulary '{}' has {} words, fewer than {}.", path, words.size(), size);
  }
  return words;
}

void check_shape(const std::string& name, const Shape& shape, const std::string& key,
                 const Shape& saved, bool fits) {
  if (fits) return;
  throw ValueError(
      "Shape of variable {} ({}) doesn't match with shape of tensor {} ({}) from checkpoint "
      "reader.",
      name, shape, key, saved);
}

/// The rows (or columns) of the old variable in the order of the new vocabulary. The others come
/// from the backup initializer.
Tensor remapped(const std::string& name, const Variable& variable, const std::string& key,
                const io::TensorBundle& bundle, const VocabInfo& info) {
  if (info.new_vocab.empty() || info.new_vocab_size <= 0 || info.old_vocab.empty()) {
    throw ValueError("The VocabInfo of '{}' must give new_vocab, new_vocab_size and old_vocab.",
                     name);
  }
  if (info.axis != 0 && info.axis != 1) {
    throw ValueError(
        "The only supported values for the axis argument are 0 and 1.  Provided axis: {}",
        info.axis);
  }
  const Shape& shape = variable.shape();
  const Tensor old = bundle.read(key);
  const int axis = info.axis;
  bool fits = shape.rank() > axis && old.rank() == shape.rank() &&
              old.dtype() == variable.dtype() &&
              shape[axis] == info.new_vocab_size + info.num_oov_buckets;
  for (int d = 0; fits && d < shape.rank(); ++d) {
    fits = d == axis || shape[d] == old.shape()[d];
  }
  check_shape(name, shape, key, old.shape(), fits);

  std::unordered_map<std::string, int64_t> old_rows;
  int64_t line = 0;
  for (const std::string& word : read_vocabulary(info.old_vocab, info.old_vocab_size)) {
    old_rows.emplace(word, line++);
  }
  const std::vector<std::string> words = read_vocabulary(info.new_vocab, info.new_vocab_size);
  Initializer backup = info.backup_initializer;
  if (!backup.given()) backup = "zeros";
  const Tensor initial = backup(shape, variable.dtype());
  Tensor result = Tensor::empty(variable.dtype(), shape);
  if (result.bytes() > 0) std::memcpy(result.mutable_data(), initial.data(), result.bytes());

  // There are `outer` blocks before the axis. Each row of a block has `inner` bytes.
  int64_t outer = 1;
  for (int d = 0; d < axis; ++d) outer *= shape[d];
  auto inner = static_cast<int64_t>(dtype_size(variable.dtype()));
  for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  const auto* from = static_cast<const std::byte*>(old.data());
  auto* to = static_cast<std::byte*>(result.mutable_data());
  for (size_t word = 0; word < words.size(); ++word) {
    const auto found = old_rows.find(words[word]);
    if (found == old_rows.end()) continue;
    if (found->second >= old.shape()[axis]) {
      throw ValueError("The old vocabulary '{}' has more words than '{}' has rows ({}).",
                       info.old_vocab, key, old.shape()[axis]);
    }
    for (int64_t block = 0; block < outer; ++block) {
      std::memcpy(to + (block * shape[axis] + static_cast<int64_t>(word)) * inner,
                  from + (block * old.shape()[axis] + found->second) * inner,
                  static_cast<size_t>(inner));
    }
  }
  return result;
}

void check_used(const char* argument, const std::set<std::string>& given,
                const std::vector<NamedVariable>& chosen) {
  std::vector<std::string> unused;
  for (const std::string& name : given) {
    const bool used = std::any_of(chosen.begin(), chosen.end(),
                                  [&](const NamedVariable& entry) { return entry.first == name; });
    if (!used) unused.push_back(name);
  }
  if (unused.empty()) return;
  throw ValueError(
      "You provided the following variables in {} that were not used: {}.  Perhaps you misspelled "
      "them?  Here is the list of viable variable names: {}",
      argument, join(unused, ", "), join(chosen, ", ", [](const auto& e) { return e.first; }));
}

template <class Map>
std::set<std::string> keys_of(const Map& map) {
  std::set<std::string> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

}  // namespace

WarmStart::WarmStart(std::string path) {
  if (path.empty()) throw ValueError(kNoPath);
  if (const std::string prefix = inside_saved_model(path); prefix != path) {
    logging::info("Warm-starting from a SavedModel");
    path = prefix;
  }
  settings_ = WarmStartSettings{.ckpt_to_initialize_from = std::move(path)};
}

WarmStart::WarmStart(WarmStartSettings settings) : settings_(std::move(settings)) {
  if (settings_->ckpt_to_initialize_from.empty()) throw ValueError(kNoPath);
}

void warm_start(const Graph& graph, const WarmStartSettings& settings) {
  const std::string& path = settings.ckpt_to_initialize_from;
  logging::info(format("Warm-starting from: {}", path));
  std::vector<NamedVariable> chosen = chosen_variables(graph, settings);
  std::sort(chosen.begin(), chosen.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  check_used("var_name_to_prev_var_name", keys_of(settings.var_name_to_prev_var_name), chosen);
  check_used("var_name_to_vocab_info", keys_of(settings.var_name_to_vocab_info), chosen);
  const io::TensorBundle bundle = open_checkpoint(path);
  std::vector<std::pair<Variable, Tensor>> values;
  for (const auto& [name, variable] : chosen) {
    const auto vocabulary = settings.var_name_to_vocab_info.find(name);
    const bool has_vocabulary = vocabulary != settings.var_name_to_vocab_info.end();
    if (!has_vocabulary && !settings.vars_to_warm_start) continue;
    const auto renamed = settings.var_name_to_prev_var_name.find(name);
    const std::string& key =
        renamed != settings.var_name_to_prev_var_name.end() ? renamed->second : name;
    if (!bundle.contains(key)) {
      throw ValueError("Tensor {} is not found in {} checkpoint, which has: {}", key, path,
                       join(bundle.keys(), ", "));
    }
    if (has_vocabulary) {
      values.emplace_back(variable, remapped(name, variable, key, bundle, vocabulary->second));
      continue;
    }
    check_shape(name, variable.shape(), key, bundle.shape(key),
                bundle.shape(key) == variable.shape());
    values.emplace_back(variable, bundle.read(key));
    if (values.back().second.dtype() != variable.dtype()) {
      throw ValueError("The variable {} is {}, but the tensor {} of the checkpoint is {}.", name,
                       dtype_name(variable.dtype()), key, dtype_name(values.back().second.dtype()));
    }
  }
  for (const auto& [variable, value] : values) variable.store(value);
  logging::info(format("Warm-started {} variables.", values.size()));
}

}  // namespace antler::estimator
