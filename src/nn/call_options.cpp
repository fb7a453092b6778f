#include "antler/nn/call_options.h"

#include <algorithm>

#include "antler/base/error.h"

namespace antler {
namespace {

constexpr const char* kInitialState = "initial_state";

/// The fields and arguments that hold tensors, by sorted names. `Options` may be const.
template <class Options, class F>
void visit_tensors(Options& options, const F& f) {
  std::vector<std::pair<std::string, decltype(&options.initial_state)>> named;
  if (!options.initial_state.is_none()) named.emplace_back(kInitialState, &options.initial_state);
  for (auto& [name, value] : options.arguments) {
    if (auto* nest = std::get_if<Nest>(&value)) named.emplace_back(name, nest);
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  bool mask_seen = false;
  const auto visit_mask = [&] {
    if (!std::exchange(mask_seen, true) && options.mask.defined()) f(options.mask);
  };
  for (const auto& [name, nest] : named) {
    if (name >= "mask") visit_mask();
    f(*nest);
  }
  visit_mask();
}

}  // namespace

const CallValue* CallOptions::find(const std::string& name) const {
  for (const auto& [key, value] : arguments) {
    if (key == name) return &value;
  }
  return nullptr;
}

Nest CallOptions::tensors(const std::string& name) const {
  if (name == kInitialState && !initial_state.is_none()) return initial_state;
  const CallValue* value = find(name);
  if (value == nullptr) return {};
  if (const Nest* nest = std::get_if<Nest>(value)) return *nest;
  throw TypeError("Argument `{}` of a layer call must be a tensor or a tree of tensors.", name);
}

bool CallOptions::flag(const std::string& name, bool otherwise) const {
  const CallValue* value = find(name);
  if (value == nullptr) return otherwise;
  if (const bool* flag = std::get_if<bool>(value)) return *flag;
  throw TypeError("Argument `{}` of a layer call must be a boolean.", name);
}

void CallOptions::set(const std::string& name, CallValue value) {
  if (name == "training") {
    if (!std::holds_alternative<bool>(value)) {
      throw TypeError("Argument `training` of a layer call must be a boolean.");
    }
    training = std::get<bool>(value);
    return;
  }
  if (const Nest* nest = std::get_if<Nest>(&value);
      name == "mask" && nest != nullptr && nest->is_tensor()) {
    mask = nest->tensor();
    return;
  }
  if (Nest* nest = std::get_if<Nest>(&value); name == kInitialState && nest != nullptr) {
    initial_state = std::move(*nest);
    return;
  }
  for (auto& [key, present] : arguments) {
    if (key == name) {
      present = std::move(value);
      return;
    }
  }
  arguments.emplace_back(name, std::move(value));
}

Tensors CallOptions::leaves() const {
  Tensors result;
  visit_tensors(*this, [&](const auto& item) {
    for (const Tensor& t : Nest(item).flatten()) result.push_back(t);
  });
  return result;
}

CallOptions CallOptions::with_leaves(const Tensors& leaves) const {
  CallOptions result = *this;
  size_t next = 0;
  visit_tensors(result, [&](auto& item) {
    const Nest before(item);
    const size_t count = before.flatten().size();
    if (next + count > leaves.size()) throw InternalError("with_leaves: too few tensors");
    const auto from = leaves.begin() + static_cast<std::ptrdiff_t>(next);
    item = before.pack(Tensors(from, from + static_cast<std::ptrdiff_t>(count)));
    next += count;
  });
  if (next != leaves.size()) throw InternalError("with_leaves: too many tensors");
  return result;
}

}  // namespace antler
