#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

namespace antler {

struct StringTensor;

class Variable;

/// A tree of tensors: a tensor, a list of trees, or a dictionary of trees. An undefined tensor is a
/// leaf too (Python's None).
class Nest {
 public:
  enum class Kind : uint8_t { tensor, list, dict };
  using Items = std::vector<std::pair<std::string, Nest>>;

  Nest() = default;
  Nest(Tensor tensor)
      : tensor_(std::move(tensor)) {}  // NOLINT(google-explicit-constructor): a leaf is a tree
  /// A leaf of strings. (A template, so that strings in braces do not convert to a nest.)
  template <std::same_as<StringTensor> S>
  Nest(const S& strings) : tensor_(strings) {}  // NOLINT(google-explicit-constructor)
  /// The value of a variable.
  template <std::same_as<Variable> V>
  Nest(const V& variable) : Nest(Tensor(variable)) {}  // NOLINT(google-explicit-constructor)
  Nest(std::vector<Nest> list);                        // NOLINT(google-explicit-constructor)
  Nest(const Tensors& list);                           // NOLINT(google-explicit-constructor)
  /// {a, b}: a list.
  Nest(std::initializer_list<Nest> list);
  /// {{"a", x}, {"b", y}}: a dictionary.
  Nest(std::initializer_list<std::pair<std::string, Nest>> items) : Nest(dict(items)) {}
  /// A dictionary of these items.
  static Nest dict(Items items);
  /// A dictionary from a map.
  template <std::convertible_to<Nest> T>
  Nest(const std::map<std::string, T>& items)  // NOLINT(google-explicit-constructor)
      : Nest(dict(Items(items.begin(), items.end()))) {}

  Kind kind() const { return kind_; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_dict() const { return kind_ == Kind::dict; }
  /// True for an undefined leaf.
  bool is_none() const { return is_tensor() && !tensor_.defined(); }

  /// The leaf. Throws TypeError for a list or dictionary. For a temporary it returns a value, so
  /// that `const Tensor& p = model.predict(x)` does not dangle.
  const Tensor& tensor() const&;
  Tensor tensor() && { return static_cast<const Nest&>(*this).tensor(); }
  operator Tensor() const {
    return tensor();
  }  // NOLINT(google-explicit-constructor): a leaf is a tensor
  /// Shape and dtype of the leaf. Throw TypeError for a list or dictionary.
  const Shape& shape() const& { return tensor().shape(); }
  Shape shape() && { return tensor().shape(); }
  DType dtype() const { return tensor().dtype(); }
  /// The elements of the leaf, and the only one of a leaf of one element, as of a tensor. Throw
  /// TypeError for a list or dictionary.
  template <class T>
  std::vector<T> to_vector() const {
    return tensor().template to_vector<T>();
  }
  double item() const { return tensor().item(); }
  template <class T>
  T item() const {
    return tensor().template item<T>();
  }
  /// The number in a leaf of one element: `float(metric.result())`.
  template <class T>
  requires(std::integral<T> || std::floating_point<T>) explicit operator T() const {
    return static_cast<T>(tensor().item());
  }
  explicit operator bool() const { return static_cast<bool>(tensor()); }
  /// Children of a list or dictionary; empty for a leaf.
  const Items& items() const& { return items_; }
  Items items() && { return std::move(items_); }
  size_t size() const { return items_.size(); }
  /// A child of a list or dictionary, or a row of the leaf, as in Python: `x[0]`. Negative numbers
  /// count from the end. Throws IndexError.
  template <std::integral I>
  Nest operator[](I index) const {
    return part(static_cast<int64_t>(index));
  }
  /// Rows of the leaf: `model.predict({a, b})[Slice(10)]`.
  Tensor operator[](const Slice& rows) const { return tensor()[rows]; }
  /// Parts of the leaf, as of a tensor: `sequence[{Slice(), -1}]`.
  Tensor operator[](std::initializer_list<Index> indices) const { return tensor()[indices]; }
  /// A child of a list or dictionary. Throws TypeError for a leaf, IndexError.
  const Nest& at(size_t index) const&;
  Nest at(size_t index) && { return static_cast<const Nest&>(*this).at(index); }
  /// The value of a key. Throws KeyError if there is none.
  const Nest& at(const std::string& key) const&;
  Nest at(const std::string& key) && { return static_cast<const Nest&>(*this).at(key); }
  /// The same: `outputs["name"]`.
  template <std::convertible_to<std::string> S>
  const Nest& operator[](const S& key) const& {
    return at(key);
  }
  template <std::convertible_to<std::string> S>
  Nest operator[](const S& key) && {
    return at(key);
  }
  bool contains(const std::string& key) const;
  /// The N children of a list or dictionary: `auto [mean, variance] = outputs.unpack<2>();`. Throws
  /// ValueError for another number of children.
  template <size_t N>
  std::array<Nest, N> unpack() const {
    check_size(N);
    std::array<Nest, N> children;
    for (size_t i = 0; i < N; ++i) children[i] = items_[i].second;
    return children;
  }
  /// For structured bindings of two children: `for (const auto& [x, y] : dataset)`. Throws
  /// ValueError for another number of children; use unpack<N>() then.
  template <size_t I>
  Nest get() const {
    check_size(2);
    return items_[I].second;
  }

  /// Leaves in order; dictionaries by sorted key, as Keras flattens.
  Tensors flatten() const;
  /// The same tree with other leaves, in flatten() order. Throws ValueError if their number
  /// differs.
  Nest pack(const Tensors& leaves) const;
  Nest map(const std::function<Tensor(const Tensor&)>& f) const;
  /// The element of a list of one, and any other tree as it is; Keras's unpack_singleton.
  Nest unpack_singleton() const;
  /// Structure without leaves: "*", "[*, *]", "{a: *}". Equal strings mean equal structures.
  std::string structure() const;
  /// Writes the structure with its tensors.
  friend std::ostream& operator<<(std::ostream& out, const Nest& nest);

 protected:
  /// Implements operator[] for a number.
  Nest part(int64_t index) const;

 private:
  void check_size(size_t expected) const;
  Kind kind_ = Kind::tensor;
  Tensor tensor_;
  Items items_;
};

/// The results of a function as a tree: std::pair and std::tuple are lists. (Not constructors of
/// Nest: data of two parts is often inputs and targets.)
template <std::convertible_to<Nest> T>
Nest to_nest(const T& value) {
  return value;
}
template <class... T>
Nest to_nest(const std::tuple<T...>& parts) {
  return std::apply([](const T&... part) { return std::vector<Nest>{to_nest(part)...}; }, parts);
}
template <class A, class B>
Nest to_nest(const std::pair<A, B>& parts) {
  return std::vector<Nest>{to_nest(parts.first), to_nest(parts.second)};
}

/// Writes "None" for an empty optional, such as an unknown element_spec().
std::ostream& operator<<(std::ostream& out, const std::optional<Nest>& nest);

}  // namespace antler

template <>
struct std::tuple_size<antler::Nest> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, antler::Nest> {
  using type = antler::Nest;
};
