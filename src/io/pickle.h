#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/tensor.h"

/// Python's pickles, as far as data sets use them: numbers, strings, lists, tuples, dictionaries
/// and NumPy arrays, written under protocols 2 to 5. Nothing in a pickle is ever executed.
namespace antler::io::pickle {

struct List;
struct Dict;
struct Global;
struct Array;
struct ArrayType;

/// A value. Lists, dictionaries and arrays are shared, as Python's references are.
using Value = std::variant<std::monostate, bool, int64_t, double, std::shared_ptr<std::string>,
                           std::shared_ptr<List>, std::shared_ptr<Dict>, std::shared_ptr<Global>,
                           std::shared_ptr<Array>, std::shared_ptr<ArrayType>>;

/// How deeply containers are nested. A container that is inside another cannot change any more, so
/// none can come to contain itself.
struct Nesting {
  int depth = 1;           ///< of the containers in it, itself included
  bool is_inside = false;  ///< of another
};

/// A list or tuple. Integers are kept apart from other items, so that long lists of them are small.
struct List {
  Nesting nesting = {};
  std::vector<int64_t> integers;  ///< all items, if `items` is empty
  std::vector<Value> items;

  size_t size() const { return items.empty() ? integers.size() : items.size(); }
  Value at(size_t i) const { return items.empty() ? Value(integers.at(i)) : items.at(i); }
  /// Does not update `nesting`.
  void append(Value value);
};

struct Dict {
  Nesting nesting = {};
  std::vector<std::pair<Value, Value>> items;
  /// The value of a string key. Throws IOError if there is none.
  const Value& at(std::string_view key) const;
};

/// A function or class by its name; only those that make NumPy arrays are known.
struct Global {
  std::string name;  ///< "numpy.dtype"
};

/// The type of an array's elements: "u1", "i8", "O".
struct ArrayType {
  std::string code;
  std::string byte_order = "|";
};

/// A NumPy array: numbers, or, for an array of Python objects, the list of its elements.
struct Array {
  Nesting nesting = {};
  Tensor numbers;
  std::shared_ptr<List> objects;
};

/// Reads a pickle. `where` names it in messages. Throws IOError for one that is truncated or
/// corrupt, that has other kinds of objects, that nests them more than 100 deep, or that would call
/// anything but the constructors of NumPy arrays.
Value parse(std::string_view bytes, const std::string& where);

/// The value as one of these types. Throws IOError if it is another.
template <class T>
const T& as(const Value& value, const std::string& where);

extern template const List& as<List>(const Value&, const std::string&);
extern template const Dict& as<Dict>(const Value&, const std::string&);
extern template const Array& as<Array>(const Value&, const std::string&);

/// The lists of integers in an array of Python lists. Throws IOError for anything else, and for a
/// list that occurs twice: a small file could request much memory by repeating one.
std::vector<std::vector<int32_t>> integer_lists(const Value& array, const std::string& where);

}  // namespace antler::io::pickle
