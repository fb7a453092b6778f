#include "antler/core/nest.h"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "antler/base/error.h"

namespace antler {
namespace {

std::vector<size_t> visiting_order(const Nest& nest) {
  std::vector<size_t> order(nest.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (nest.is_dict()) {
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return nest.items()[a].first < nest.items()[b].first; });
  }
  return order;
}

void collect(const Nest& nest, Tensors& leaves) {
  if (nest.is_tensor()) {
    leaves.push_back(nest.tensor());
    return;
  }
  for (size_t i : visiting_order(nest)) collect(nest.items()[i].second, leaves);
}

Nest rebuild(const Nest& nest, const Tensors& leaves, size_t& next) {
  if (nest.is_tensor()) return Nest(leaves[next++]);
  Nest::Items items = nest.items();
  for (size_t i : visiting_order(nest))
    items[i].second = rebuild(nest.items()[i].second, leaves, next);
  if (nest.is_dict()) return Nest::dict(std::move(items));
  std::vector<Nest> list;
  for (auto& [key, value] : items) list.push_back(std::move(value));
  return Nest(std::move(list));
}

}  // namespace

Nest::Nest(std::vector<Nest> list) : kind_(Kind::list) {
  for (Nest& item : list) items_.emplace_back(std::string(), std::move(item));
}

Nest::Nest(const Tensors& list) : kind_(Kind::list) {
  for (const Tensor& item : list) items_.emplace_back(std::string(), Nest(item));
}

Nest::Nest(std::initializer_list<Nest> list) : Nest(std::vector<Nest>(list)) {}

Nest Nest::dict(Items items) {
  Nest nest;
  nest.kind_ = Kind::dict;
  nest.items_ = std::move(items);
  return nest;
}

const Tensor& Nest::tensor() const& {
  if (!is_tensor())
    throw TypeError(
        "Expected a single tensor, received the structure {}. Keep it as a Nest: {} is a part of "
        "it.",
        structure(), is_list() ? "`nest[0]`" : "`nest.at(\"name\")`");
  return tensor_;
}

const Nest& Nest::at(size_t index) const& {
  if (is_tensor() && tensor_.defined()) {
    throw TypeError(
        "Cannot take part {} of a Nest that is a single tensor of shape {}, not a list. Its rows "
        "are nest[index].",
        index, tensor_.shape());
  }
  if (index >= items_.size()) {
    throw IndexError("Index {} is out of range for the structure {}.", index, structure());
  }
  return items_[index].second;
}

void Nest::check_size(size_t expected) const {
  if (items_.size() != expected) {
    throw ValueError(
        "Expected a list of {} parts, received the structure {}. {} parts are named by "
        "`auto [...] = nest.unpack<{}>()`.",
        expected, structure(), items_.size(), items_.size());
  }
}

bool Nest::contains(const std::string& key) const {
  return is_dict() && std::any_of(items_.begin(), items_.end(),
                                  [&](const auto& item) { return item.first == key; });
}

const Nest& Nest::at(const std::string& key) const& {
  if (is_dict()) {
    for (const auto& [name, value] : items_) {
      if (name == key) return value;
    }
  }
  throw KeyError("No key '{}' in the structure {}.", key, structure());
}

Tensors Nest::flatten() const {
  Tensors leaves;
  collect(*this, leaves);
  return leaves;
}

Nest Nest::pack(const Tensors& leaves) const {
  if (leaves.size() != flatten().size()) {
    throw ValueError("Cannot pack {} tensors into the structure {}.", leaves.size(), structure());
  }
  size_t next = 0;
  return rebuild(*this, leaves, next);
}

Nest Nest::map(const std::function<Tensor(const Tensor&)>& f) const {
  Tensors leaves = flatten();
  for (Tensor& leaf : leaves) leaf = f(leaf);
  return pack(leaves);
}

Nest Nest::unpack_singleton() const {
  return is_list() && items_.size() == 1 ? items_[0].second : *this;
}

std::ostream& operator<<(std::ostream& out, const std::optional<Nest>& nest) {
  return nest ? out << *nest : out << "None";
}

std::ostream& operator<<(std::ostream& out, const Nest& nest) {
  if (nest.is_tensor()) return nest.is_none() ? out << "None" : out << nest.tensor().str();
  const char* separator = nest.is_dict() ? "{" : "[";
  if (nest.size() == 0) out << separator;
  for (const auto& [key, value] : nest.items()) {
    out << separator;
    if (nest.is_dict()) out << key << ": ";
    out << value;
    separator = ", ";
  }
  return out << (nest.is_dict() ? "}" : "]");
}

std::string Nest::structure() const {
  if (is_tensor()) return tensor_.defined() ? "*" : "None";
  std::string text = is_dict() ? "{" : "[";
  bool first = true;
  for (size_t i : visiting_order(*this)) {
    if (!first) text += ", ";
    first = false;
    if (is_dict()) text += items_[i].first + ": ";
    text += items_[i].second.structure();
  }
  return text + (is_dict() ? "}" : "]");
}

}  // namespace antler
