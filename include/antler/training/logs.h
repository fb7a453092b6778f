#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
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
  /// at().
  const T& operator[](const std::string& key) const { return at(key); }
  T* find(const std::string& key) {
    for (Entry& e : entries_) {
      if (e.first == key) return &e.second;
    }
    return nullptr;
  }
  const T* find(const std::string& key) const { return const_cast<OrderedMap*>(this)->find(key); }
  bool contains(const std::string& key) const { return find(key) != nullptr; }
  /// Throws KeyError, naming the keys that there are.
  const T& at(const std::string& key) const {
    if (const T* value = find(key)) return *value;
    std::string known;
    for (const Entry& e : entries_) known += (known.empty() ? "'" : ", '") + e.first + "'";
    throw KeyError("No key '" + key + "'. The keys are: " + (known.empty() ? "none" : known) + ".");
  }
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
/// The same on the host, as callbacks and History see it: numbers by name. What is an array (the
/// result of a metric that has a value per class) counts with the mean of its elements, which is
/// what the progress bar of Keras shows of it; array() is the whole.
class HostLogs : public OrderedMap<double> {
 public:
  using OrderedMap::OrderedMap;
  /// An array of more or less than one element, else a number.
  void set(const std::string& name, const Tensor& value);
  /// The entry `name` of `from`, under the name `as`.
  void copy(const HostLogs& from, const std::string& name, const std::string& as);
  /// The array of this name; null where there is a number, or one was assigned since.
  const Tensor* array(const std::string& name) const;
  void clear();
  /// Writes "{'loss': 0.25, 'mae': 0.5}".
  friend std::ostream& operator<<(std::ostream& out, const HostLogs& logs);

 private:
  struct Array {
    Tensor value;
    double mean = 0;
  };
  OrderedMap<Array> arrays_;
};

}  // namespace antler
