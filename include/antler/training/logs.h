#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/nest.h"

namespace antler {

/// What find() of a map returns. It serves as a condition, as a pointer to the value (null if the
/// key is missing), and as the iterator that find() of std::map returns: `found != map.end()`,
/// `found->second`.
template <class Iterator, class T>
class FoundEntry {
 public:
  FoundEntry(Iterator at, Iterator end) : at_(at), end_(end) {}
  explicit operator bool() const { return at_ != end_; }
  operator T*() const {  // NOLINT(google-explicit-constructor)
    return *this ? &at_->second : nullptr;
  }
  T& operator*() const { return at_->second; }
  auto* operator->() const { return &*at_; }
  friend bool operator==(const FoundEntry& found, const Iterator& other) {
    return found.at_ == other;
  }

 private:
  Iterator at_;
  Iterator end_;
};

/// A map that keeps the order in which keys were added, as Python's dictionaries do.
template <class T>
class OrderedMap {
 public:
  using Entry = std::pair<std::string, T>;
  using Found = FoundEntry<typename std::deque<Entry>::iterator, T>;
  using ConstFound = FoundEntry<typename std::deque<Entry>::const_iterator, const T>;
  OrderedMap() = default;
  OrderedMap(std::initializer_list<Entry> entries) : entries_(entries) {}

  T& operator[](const std::string& key) {
    if (const Found found = find(key)) return *found;
    return entries_.emplace_back(key, T()).second;
  }
  /// at().
  const T& operator[](const std::string& key) const { return at(key); }
  Found find(const std::string& key) { return Found(position(entries_, key), end()); }
  ConstFound find(const std::string& key) const {
    return ConstFound(position(entries_, key), end());
  }
  bool contains(const std::string& key) const { return position(entries_, key) != end(); }
  size_t count(const std::string& key) const { return contains(key) ? 1 : 0; }
  /// Throws KeyError, which lists the keys.
  const T& at(const std::string& key) const {
    if (const ConstFound found = find(key)) return *found;
    std::string known;
    for (const Entry& e : entries_) known += (known.empty() ? "'" : ", '") + e.first + "'";
    throw KeyError("No key '{}'. The keys are: {}.", key, known.empty() ? "none" : known);
  }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  template <class Entries>
  static auto position(Entries& entries, const std::string& key) {
    auto at = entries.begin();
    while (at != entries.end() && at->first != key) ++at;
    return at;
  }
  /// Adding a key must not move values: `logs["a"] = logs["b"]`.
  std::deque<Entry> entries_;
};

class HostLogs;

/// The names and values, in order, that a step returns and callbacks see. A step builds them from
/// tensors: `{{"loss", loss}}` or `logs["mae"] = metric.result()`. All other code reads numbers; a
/// value is converted when it is read. An array (the result of a metric with one value per class)
/// reads as the mean of its elements, as in Keras's progress bar; array() returns the whole array.
class Logs {
 public:
  using Entry = OrderedMap<Nest>::Entry;
  class Iterator;
  class Found;

  Logs() = default;
  Logs(std::initializer_list<Entry> entries) : entries_(entries) {}
  Logs(const HostLogs& logs);  // NOLINT(google-explicit-constructor): the same values
  /// The dictionary that a step function returned. A dictionary in it is replaced by its entries.
  /// Throws TypeError for a list.
  explicit Logs(const Nest& outputs);
  /// The dictionary that a step function returns.
  operator Nest() const;  // NOLINT(google-explicit-constructor)

  /// For writing; adds the name if it is new.
  Nest& operator[](const std::string& name) { return entries_[name]; }
  /// at().
  double operator[](const std::string& name) const { return at(name); }
  /// Throws KeyError, which lists the names.
  double at(const std::string& name) const { return number(entries_.at(name)); }
  Found find(const std::string& name) const;
  /// The array with this name; null if the value is a number or missing.
  const Tensor* array(const std::string& name) const;
  bool contains(const std::string& name) const { return entries_.contains(name); }
  size_t count(const std::string& name) const { return entries_.count(name); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// `for (const auto& [name, number] : logs)`.
  Iterator begin() const;
  Iterator end() const;
  /// The values as they were added.
  const OrderedMap<Nest>& entries() const& { return entries_; }
  /// By value, so that `for (... : metrics().entries())` does not refer to a destroyed temporary.
  OrderedMap<Nest> entries() && { return std::move(entries_); }

 private:
  static double number(const Nest& value);
  void add(const Nest& outputs);
  OrderedMap<Nest> entries_;
};

/// Names and numbers in order.
class Logs::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;  // NOLINT(readability-identifier-naming)
  using value_type = std::pair<const std::string&, double>;
  using difference_type = std::ptrdiff_t;
  /// Holds the entry that operator-> shows.
  struct pointer {  // NOLINT(readability-identifier-naming)
    value_type entry;
    const value_type* operator->() const { return &entry; }
  };
  using reference = value_type;

  explicit Iterator(std::deque<Entry>::const_iterator at) : at_(at) {}  // NOLINT
  value_type operator*() const { return {at_->first, number(at_->second)}; }
  pointer operator->() const { return {**this}; }
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const Iterator& other) const = default;

 private:
  std::deque<Entry>::const_iterator at_;
};

/// What find() returns: an optional number, and the iterator that find() of std::map returns.
class Logs::Found : public std::optional<double> {
 public:
  Found(const Iterator& at, const Iterator& end)
      : std::optional<double>(at == end ? std::nullopt : std::optional(at->second)), at_(at) {}
  Iterator::pointer operator->() const { return at_.operator->(); }
  friend bool operator==(const Found& found, const Iterator& other) { return found.at_ == other; }

 private:
  Iterator at_;
};

inline Logs::Iterator Logs::begin() const { return Iterator(entries_.begin()); }
inline Logs::Iterator Logs::end() const { return Iterator(entries_.end()); }

/// Logs as plain numbers: what evaluate() and the *_on_batch methods return.
class HostLogs : public OrderedMap<double> {
 public:
  using OrderedMap::OrderedMap;
  explicit HostLogs(const Logs& logs);
  /// The array with this name; null if the value is a number or has been replaced since.
  const Tensor* array(const std::string& name) const;
  /// The N values, in order: `const auto [loss, accuracy] = model.evaluate(x, y).unpack<2>();`.
  /// Throws ValueError if there are more or fewer.
  template <size_t N>
  std::array<double, N> unpack() const {
    if (size() != N) {
      throw ValueError("Cannot unpack {} values into {}. All are read by `unpack<{}>()`.", size(),
                       N, size());
    }
    std::array<double, N> values;
    size_t i = 0;
    for (const auto& [name, value] : *this) values[i++] = value;
    return values;
  }
  /// Two values need no unpack(): `const auto [loss, accuracy] = model.evaluate(x, y);`.
  template <size_t I>
  double get() const {
    return unpack<2>()[I];
  }

 private:
  OrderedMap<Tensor> arrays_;
};

/// Writes "{'loss': 0.25, 'mae': 0.5}".
std::ostream& operator<<(std::ostream& out, const Logs& logs);

}  // namespace antler

template <>
struct std::tuple_size<antler::HostLogs> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, antler::HostLogs> {
  using type = double;
};
