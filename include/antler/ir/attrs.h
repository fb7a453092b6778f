#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/core/tensor.h"

namespace antler::ir {

using Ints = std::vector<int64_t>;
using Attr =
    std::variant<bool, int64_t, double, std::string, Ints, std::vector<double>, DType, Tensor>;

/// The compile-time parameters of one op by name, in the order given. There are only a few, so
/// lookup is linear.
class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<std::string, Attr>> items) : items_(items) {}

  void set(std::string name, Attr value);
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Value of an attribute. Throws InternalError if it is missing or of another type.
  template <class T>
  const T& get(std::string_view name) const;
  int64_t integer(std::string_view name) const { return get<int64_t>(name); }
  double number(std::string_view name) const { return get<double>(name); }
  bool flag(std::string_view name) const { return get<bool>(name); }
  const Ints& ints(std::string_view name) const { return get<Ints>(name); }
  const std::string& string(std::string_view name) const { return get<std::string>(name); }
  DType dtype(std::string_view name) const { return get<DType>(name); }

  const std::vector<std::pair<std::string, Attr>>& items() const { return items_; }
  /// "axis=1, strides=[2, 2]"; literals print as their spec.
  std::string str() const;
  /// Equal attributes give equal keys; literals are compared by the identity of their buffer.
  std::string key() const;
  friend bool operator==(const Attrs& a, const Attrs& b) { return a.key() == b.key(); }

 private:
  const Attr* find(std::string_view name) const;
  std::vector<std::pair<std::string, Attr>> items_;
};

}  // namespace antler::ir
