#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <cxxabi.h>

#include "antler/base/format.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layer.h"
#include "antler/nn/registry.h"

namespace antler {
namespace {

std::mutex g_names_mutex;
std::map<std::string, int>& counters() {
  static std::map<std::string, int> instance;
  return instance;
}

thread_local NameCounters* t_counters = nullptr;

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string internal::class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return type.name();
  // "mine::(anonymous namespace)::Scale<float>" -> "Scale"
  std::string name = text.get();
  name = name.substr(0, name.find('<'));
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

std::string to_snake_case(const std::string& class_name) {
  // As in Keras, a word starts at an upper-case letter that is followed by a lower-case letter, or
  // that follows a lower-case letter or a digit.
  if (class_name == "GroupQueryAttention") return "grouped_query_attention";  // its older name
  std::string text;
  for (size_t i = 0; i < class_name.size(); ++i) {
    const char c = class_name[i];
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') continue;
    const bool starts_word =
        i + 1 < class_name.size() && is_upper(c) && is_lower(class_name[i + 1]);
    const bool after_lower = i > 0 && is_upper(c) && is_lower(class_name[i - 1]);
    if (i > 0 && (starts_word || after_lower) && text.back() != '_') text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text.starts_with('_') ? "private" + text : text;
}

NameCounters::NameCounters() : previous_(std::exchange(t_counters, this)) {}
NameCounters::~NameCounters() { t_counters = previous_; }

std::string unique_name(const std::string& prefix) {
  int count = 0;
  if (t_counters != nullptr) {
    count = t_counters->counts_[prefix]++;
  } else {
    const std::lock_guard lock(g_names_mutex);
    count = counters()[prefix]++;
  }
  return count == 0 ? prefix : format("{}_{}", prefix, count);
}

void clear_session() {
  mixed_precision::reset_global_policy();
  const std::lock_guard lock(g_names_mutex);
  counters().clear();
}

}  // namespace antler
