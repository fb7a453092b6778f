#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

namespace antler {

/// A map that keeps the order in which keys were added, as Python's dictionaries do.
template <class T>
class OrderedMap {
 public:
  using Entry = std::pair<std::string, T>;
  OrderedMap() = default;
  OrderedMap(std::initializer_list<Entry> entries) : entries_(entries) {}

  T& operator[](const std::string& key) {
    if (T* value = find(key)) return *value;
    return entries_.emplace_back(key, T()).second;
  }
  T* find(const std::string& key) {
    for (Entry& e : entries_) {
      if (e.first == key) return &e.second;
    }
    return nullptr;
  }
  const T* find(const std::string& key) const { return const_cast<OrderedMap*>(this)->find(key); }
  bool contains(const std::string& key) const { return find(key) != nullptr; }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

/// What a step function returns: names and (traced) values.
using Logs = OrderedMap<Nest>;
/// The same on the host, as callbacks and History see it.
using HostLogs = OrderedMap<double>;

}  // namespace antler
