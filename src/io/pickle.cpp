#include "io/pickle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "antler/base/error.h"
#include "antler/io/npy.h"

namespace antler::io::pickle {
namespace {

using String = std::shared_ptr<std::string>;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw IOError("{}: {}.", where, why);
}

int64_t integer_of(const Value& value, const std::string& where) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  refuse(where, "expected an integer");
}

const std::string& string_of(const Value& value, const std::string& where) {
  if (const auto* text = std::get_if<String>(&value)) return **text;
  refuse(where, "expected a string");
}

Nesting* nesting_of(const Value& value) {
  if (const auto* list = std::get_if<std::shared_ptr<List>>(&value)) return &(*list)->nesting;
  if (const auto* dict = std::get_if<std::shared_ptr<Dict>>(&value)) return &(*dict)->nesting;
  if (const auto* array = std::get_if<std::shared_ptr<Array>>(&value)) return &(*array)->nesting;
  return nullptr;
}

/// The virtual machine that executes a pickle's instructions.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {}

  Value run() {
    while (step()) {
    }
    return pop();
  }

 private:
  /// Executes an instruction; false for the last one.
  bool step();
  bool step_constant(uint8_t code);
  bool step_container(uint8_t code);
  bool step_memo(uint8_t code);
  bool step_object(uint8_t code);

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) refuse(where_, "the pickle is truncated");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T take_number() {
    static_assert(std::endian::native == std::endian::little);
    T number{};
    std::memcpy(&number, take(sizeof(T)).data(), sizeof(T));
    return number;
  }
  std::string take_line() {
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) refuse(where_, "the pickle is truncated");
    std::string line(take(end));
    take(1);
    return line;
  }

  void push(Value value) { stack_.push_back(std::move(value)); }
  void push_string(uint64_t size) { push(std::make_shared<std::string>(take(size))); }
  Value pop() {
    if (stack_.empty()) refuse(where_, "the pickle is corrupt: its stack is empty");
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  Value& top() {
    if (stack_.empty()) refuse(where_, "the pickle is corrupt: its stack is empty");
    return stack_.back();
  }
  /// The values above the last mark.
  std::vector<Value> pop_marked() {
    if (marks_.empty() || marks_.back() > stack_.size()) {
      refuse(where_, "the pickle is corrupt: a mark is missing");
    }
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    marks_.pop_back();
    std::vector<Value> values(std::make_move_iterator(first),
                              std::make_move_iterator(stack_.end()));
    stack_.erase(first, stack_.end());
    return values;
  }
  /// Call before `value` is put into `outer`.
  void enclose(Nesting& outer, const Value& value) {
    constexpr int kMaxDepth = 100;
    Nesting* inner = nesting_of(value);
    if (outer.is_inside || inner == &outer) {
      refuse(where_, "the pickle changes an object that is inside another");
    }
    if (inner == nullptr) return;
    outer.depth = std::max(outer.depth, inner->depth + 1);
    if (outer.depth > kMaxDepth) refuse(where_, "the pickle nests objects too deeply");
    inner->is_inside = true;
  }
  void append_to(List& list, std::vector<Value> values) {
    for (Value& value : values) {
      enclose(list.nesting, value);
      list.append(std::move(value));
    }
  }
  void push_tuple(std::vector<Value> values) {
    const auto tuple = std::make_shared<List>();
    append_to(*tuple, std::move(values));
    push(tuple);
  }
  void push_last(size_t count) {
    std::vector<Value> values(count);
    for (size_t i = count; i-- > 0;) values[i] = pop();
    push_tuple(std::move(values));
  }
  void set_items(std::vector<Value> values) {
    auto* dict = std::get_if<std::shared_ptr<Dict>>(&top());
    if (dict == nullptr || values.size() % 2 != 0) refuse(where_, "expected a dictionary");
    for (size_t i = 0; i < values.size(); i += 2) {
      enclose((*dict)->nesting, values[i]);
      enclose((*dict)->nesting, values[i + 1]);
      (*dict)->items.emplace_back(std::move(values[i]), std::move(values[i + 1]));
    }
  }
  void append(std::vector<Value> values) {
    auto* list = std::get_if<std::shared_ptr<List>>(&top());
    if (list == nullptr) refuse(where_, "expected a list");
    append_to(**list, std::move(values));
  }
  void push_global(const std::string& module, const std::string& name);
  void reduce();
  void build();
  void build_array(Array& array, const List& state);

  std::string_view rest_;
  const std::string& where_;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, Value> memo_;
};

bool Reader::step_constant(uint8_t code) {
  switch (code) {
    case 'N':
      push({});
      return true;
    case 0x88:
      push(true);
      return true;
    case 0x89:
      push(false);
      return true;
    case 'J':
      push(int64_t{take_number<int32_t>()});
      return true;
    case 'K':
      push(int64_t{take_number<uint8_t>()});
      return true;
    case 'M':
      push(int64_t{take_number<uint16_t>()});
      return true;
    case 0x8a: {  // an integer of n bytes
      const std::string_view bytes = take(take_number<uint8_t>());
      if (bytes.size() > 8) refuse(where_, "an integer has more than 64 bits");
      const bool negative = !bytes.empty() && (static_cast<uint8_t>(bytes.back()) & 0x80U) != 0;
      uint64_t bits = negative ? ~uint64_t{0} : 0;
      std::memcpy(&bits, bytes.data(), bytes.size());
      push(static_cast<int64_t>(bits));
      return true;
    }
    case 'G': {  // big-endian
      uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8U | static_cast<uint8_t>(byte);
      push(std::bit_cast<double>(bits));
      return true;
    }
    case 'X':
    case 'B':
      push_string(take_number<uint32_t>());
      return true;
    case 'U':
    case 'C':
    case 0x8c:
      push_string(take_number<uint8_t>());
      return true;
    case 'T':
      push_string(take_number<uint32_t>());
      return true;
    case 0x8d:
    case 0x8e:
      push_string(take_number<uint64_t>());
      return true;
    default:
      return false;
  }
}

bool Reader::step_container(uint8_t code) {
  switch (code) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case ']':
    case ')':
      push(std::make_shared<List>());
      return true;
    case '}':
      push(std::make_shared<Dict>());
      return true;
    case 't':
      push_tuple(pop_marked());
      return true;
    case 0x85:
      push_last(1);
      return true;
    case 0x86:
      push_last(2);
      return true;
    case 0x87:
      push_last(3);
      return true;
    case 'a': {
      Value value = pop();
      append({std::move(value)});
      return true;
    }
    case 'e':
      append(pop_marked());
      return true;
    case 's': {
      Value value = pop();
      Value key = pop();
      set_items({std::move(key), std::move(value)});
      return true;
    }
    case 'u':
      set_items(pop_marked());
      return true;
    default:
      return false;
  }
}

bool Reader::step_memo(uint8_t code) {
  const auto recall = [&](uint64_t index) {
    const auto it = memo_.find(index);
    if (it == memo_.end()) refuse(where_, "the pickle is corrupt: it reads a missing memo");
    push(it->second);
  };
  switch (code) {
    case 'q': {
      const auto index = take_number<uint8_t>();
      memo_[index] = top();
      return true;
    }
    case 'r': {
      const auto index = take_number<uint32_t>();
      memo_[index] = top();
      return true;
    }
    case 0x94: {
      const uint64_t index = memo_.size();
      memo_[index] = top();
      return true;
    }
    case 'h':
      recall(take_number<uint8_t>());
      return true;
    case 'j':
      recall(take_number<uint32_t>());
      return true;
    default:
      return false;
  }
}

bool Reader::step_object(uint8_t code) {
  switch (code) {
    case 'c': {
      const std::string module = take_line();
      push_global(module, take_line());
      return true;
    }
    case 0x93: {
      const Value name = pop();
      const Value module = pop();
      push_global(string_of(module, where_), string_of(name, where_));
      return true;
    }
    case 'R':
      reduce();
      return true;
    case 'b':
      build();
      return true;
    default:
      return false;
  }
}

bool Reader::step() {
  const auto code = take_number<uint8_t>();
  if (code == '.') return false;
  if (code == 0x80) {  // the protocol
    take(1);
  } else if (code == 0x95) {  // the size of a frame
    take(8);
  } else if (!step_constant(code) && !step_container(code) && !step_memo(code) &&
             !step_object(code)) {
    refuse(where_, format("the pickle has the instruction {}, which data does not need", code));
  }
  return true;
}

void Reader::push_global(const std::string& module, const std::string& name) {
  std::string full = module + "." + name;
  if (full == "numpy._core.multiarray._reconstruct") full = "numpy.core.multiarray._reconstruct";
  if (full != "numpy.ndarray" && full != "numpy.dtype" &&
      full != "numpy.core.multiarray._reconstruct") {
    refuse(where_, format("the pickle refers to '{}', which is not a NumPy array", full));
  }
  push(std::make_shared<Global>(Global{std::move(full)}));
}

void Reader::reduce() {
  const Value arguments = pop();
  const Value function = pop();
  const auto* global = std::get_if<std::shared_ptr<Global>>(&function);
  if (global == nullptr) refuse(where_, "the pickle calls something that is not a function");
  if ((*global)->name == "numpy.core.multiarray._reconstruct") {
    push(std::make_shared<Array>());
  } else if ((*global)->name == "numpy.dtype") {
    const List& list = as<List>(arguments, where_);
    if (list.size() == 0) refuse(where_, "a dtype has no name");
    push(std::make_shared<ArrayType>(ArrayType{string_of(list.at(0), where_)}));
  } else {
    refuse(where_, "the pickle makes an array in an unknown way");
  }
}

void Reader::build() {
  const Value state = pop();
  const List& list = as<List>(state, where_);
  Value& object = top();
  if (auto* type = std::get_if<std::shared_ptr<ArrayType>>(&object)) {
    // (version, byte order, ...)
    if (list.size() < 2) refuse(where_, "a dtype has no byte order");
    (*type)->byte_order = string_of(list.at(1), where_);
  } else if (auto* array = std::get_if<std::shared_ptr<Array>>(&object)) {
    build_array(**array, list);
  } else {
    refuse(where_, "the pickle sets the state of something that is not an array");
  }
}

void Reader::build_array(Array& array, const List& state) {
  // ([version,] shape, dtype, is Fortran order, elements)
  if (state.size() < 4) refuse(where_, "the state of an array is incomplete");
  const size_t first = state.size() - 4;
  const Value type_value = state.at(first + 1);
  const auto* type = std::get_if<std::shared_ptr<ArrayType>>(&type_value);
  if (type == nullptr) refuse(where_, "an array has no dtype");
  const Value elements = state.at(first + 3);
  if ((*type)->code.starts_with("O")) {
    if (!std::holds_alternative<std::shared_ptr<List>>(elements)) {
      refuse(where_, "an array of objects has no list");
    }
    enclose(array.nesting, elements);
    array.objects = std::get<std::shared_ptr<List>>(elements);
    return;
  }
  std::string shape;
  const Value dims = state.at(first);
  const List& list = as<List>(dims, where_);
  for (size_t i = 0; i < list.size(); ++i) {
    shape += format("{},", integer_of(list.at(i), where_));
  }
  const bool fortran = integer_of(state.at(first + 2), where_) != 0;
  std::string order = (*type)->byte_order;
  if (order == "=") order = "<";
  // The elements are those of a .npy file.
  std::string header = format("{{'descr': '{}{}', 'fortran_order': {}, 'shape': ({}), }}", order,
                              (*type)->code, fortran ? "True" : "False", shape);
  constexpr size_t kPrefix = 10;
  header.append((64 - (header.size() + kPrefix + 1) % 64) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  array.numbers = parse_npy(file + header + string_of(elements, where_));
}

}  // namespace

void List::append(Value value) {
  const auto* integer = std::get_if<int64_t>(&value);
  if (integer != nullptr && items.empty()) {
    integers.push_back(*integer);
    return;
  }
  items.insert(items.end(), integers.begin(), integers.end());
  integers.clear();
  items.push_back(std::move(value));
}

const Value& Dict::at(std::string_view key) const {
  for (const auto& [name, value] : items) {
    const auto* text = std::get_if<String>(&name);
    if (text != nullptr && **text == key) return value;
  }
  throw IOError("The dictionary has no key '{}'.", key);
}

Value parse(std::string_view bytes, const std::string& where) { return Reader(bytes, where).run(); }

template <class T>
const T& as(const Value& value, const std::string& where) {
  if (const auto* held = std::get_if<std::shared_ptr<T>>(&value)) return **held;
  refuse(where, "the pickle has another kind of object than expected");
}

template const List& as<List>(const Value&, const std::string&);
template const Dict& as<Dict>(const Value&, const std::string&);
template const Array& as<Array>(const Value&, const std::string&);

std::vector<std::vector<int32_t>> integer_lists(const Value& array, const std::string& where) {
  const Array& outer = as<Array>(array, where);
  if (outer.objects == nullptr) refuse(where, "expected an array of lists");
  std::vector<std::vector<int32_t>> lists;
  std::set<const List*> seen;
  for (size_t i = 0; i < outer.objects->size(); ++i) {
    const Value item = outer.objects->at(i);
    const List& list = as<List>(item, where);
    if (!seen.insert(&list).second) refuse(where, "a list occurs twice");
    if (!list.items.empty()) refuse(where, "expected lists of integers");
    auto& numbers = lists.emplace_back();
    for (const int64_t number : list.integers) {
      if (number < 0 || number > std::numeric_limits<int32_t>::max()) {
        refuse(where, format("the integer {} is out of range", number));
      }
      numbers.push_back(static_cast<int32_t>(number));
    }
  }
  return lists;
}

}  // namespace antler::io::pickle
