#include "python/interpreter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"

namespace antler::conformance::python {
namespace {

/// Start and end of a slice of `size` elements.
std::pair<int64_t, int64_t> bounds(const Value& start, const Value& stop, int64_t size) {
  const auto bound = [size](const Value& value, int64_t otherwise) {
    if (value.is_none()) return otherwise;
    const int64_t index = to_integer(value);
    return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
  };
  const int64_t from = bound(start, 0);
  return {from, std::max(from, bound(stop, size))};
}

Value sliced(const Value& self, const Value& start, const Value& stop) {
  if (const auto* sequence = self.get<Sequence>()) {
    const auto [from, to] = bounds(start, stop, std::ssize(*sequence->items));
    return list_of({sequence->items->begin() + from, sequence->items->begin() + to},
                   sequence->tuple);
  }
  const Tensor array = to_tensor(self);
  const auto [from, to] = bounds(start, stop, array.dim(0));
  return {ops::slice_axis(array, 0, from, to)};
}

/// `self[subscripts]` of an array: an integer, a slice or None for each axis.
Value element(Tensor array, const Values& subscripts,
              const std::vector<std::optional<std::pair<Value, Value>>>& slices) {
  int axis = 0;
  for (size_t i = 0; i < subscripts.size(); ++i) {
    if (slices[i]) {
      const auto [from, to] = bounds(slices[i]->first, slices[i]->second, array.dim(axis));
      array = ops::slice_axis(array, axis++, from, to);
    } else if (subscripts[i].is_none()) {
      array = ops::expand_dims(array, axis++);
    } else {
      const int64_t index = to_integer(subscripts[i]);
      const int64_t at = index < 0 ? index + array.dim(axis) : index;
      array = ops::squeeze(ops::slice_axis(array, axis, at, at + 1), axis);
    }
  }
  return {array};
}

bool is_comparison(const std::string& symbol) {
  return symbol == "<" || symbol == ">" || symbol == "<=" || symbol == ">=" || symbol == "==" ||
         symbol == "!=";
}

/// Compares arrays element by element, and strings or numbers.
Value comparison(const std::string& symbol, const Value& left, const Value& right) {
  if (left.get<Tensor>() != nullptr || right.get<Tensor>() != nullptr) {
    const Tensor a = array_of(left);
    const Tensor b = array_of(right);
    if (symbol == "<") return {ops::less(a, b)};
    if (symbol == ">") return {ops::greater(a, b)};
    if (symbol == "<=") return {ops::less_equal(a, b)};
    if (symbol == ">=") return {ops::greater_equal(a, b)};
    return {symbol == "==" ? ops::equal(a, b) : ops::not_equal(a, b)};
  }
  if (symbol == "==" || symbol == "!=")
    return {(to_json(left) == to_json(right)) == (symbol == "==")};
  const double a = to_number(left);
  const double b = to_number(right);
  if (symbol == "<") return {a < b};
  if (symbol == ">") return {a > b};
  return {symbol == "<=" ? a <= b : a >= b};
}

Value arithmetic(const std::string& symbol, const Value& left, const Value& right) {
  if (is_comparison(symbol)) return comparison(symbol, left, right);
  const auto is_array = [](const Value& value) { return value.get<Tensor>() != nullptr; };
  if (is_array(left) || is_array(right)) {
    const auto operand = [&](const Value& value) {
      if (const auto* number = value.get<int64_t>()) return Tensor(*number);
      return is_array(value) ? to_tensor(value) : Tensor(to_number(value));
    };
    const Tensor a = operand(left);
    const Tensor b = operand(right);
    if (symbol == "+") return {ops::add(a, b)};
    if (symbol == "-") return {ops::subtract(a, b)};
    if (symbol == "*") return {ops::multiply(a, b)};
    if (symbol == "/") return {ops::divide(a, b)};
    if (symbol == "%") return {ops::mod(a, is_array(right) ? b : ops::cast(b, a.dtype()))};
    if (symbol == "**") return {ops::power(a, b)};
    if (symbol == "@") return {ops::matmul(a, b)};
    if (symbol == "//") return {ops::floor_divide(a, b)};
    throw Unsupported{format("the operator {} of arrays", symbol)};
  }
  if (const auto* text = left.get<std::string>(); text != nullptr && symbol == "+")
    return {*text + to_string(right)};
  if (left.get<Sequence>() != nullptr && (symbol == "*" || symbol == "+")) {
    Values items = items_of(left);
    const Values more = symbol == "+" ? items_of(right) : items;
    const int64_t times = symbol == "+" ? 1 : to_integer(right) - 1;
    for (int64_t i = 0; i < times; ++i) items.insert(items.end(), more.begin(), more.end());
    return list_of(std::move(items), left.get<Sequence>()->tuple);
  }
  const double a = to_number(left);
  const double b = to_number(right);
  double result = 0;
  if (symbol == "+") result = a + b;
  if (symbol == "-") result = a - b;
  if (symbol == "*") result = a * b;
  if (symbol == "/") result = a / b;
  if (symbol == "//") result = std::floor(a / b);
  if (symbol == "%") result = a - b * std::floor(a / b);
  if (symbol == "**") result = std::pow(a, b);
  const bool integers = left.get<int64_t>() != nullptr && right.get<int64_t>() != nullptr;
  if (integers && symbol != "/") return {static_cast<int64_t>(result)};
  return {result};
}

bool is_true(const Value& value) {
  if (value.is_none()) return false;
  if (const auto* truth = value.get<bool>()) return *truth;
  if (const auto* array = value.get<Tensor>()) return static_cast<bool>(*array);
  return value.get<int64_t>() == nullptr || to_integer(value) != 0;
}

Value range(const Arguments& arguments) {
  Values numbers;
  const bool from_zero = arguments.positional.size() == 1;
  const int64_t start = from_zero ? 0 : to_integer(arguments.at(0, ""));
  const int64_t stop = to_integer(arguments.at(from_zero ? 0 : 1, ""));
  for (int64_t i = start; i < stop; ++i) numbers.push_back({i});
  return list_of(std::move(numbers));
}

/// Tuples of the items of two lists.
Value zip(const Arguments& arguments) {
  const Values left = items_of(arguments.at(0, ""));
  const Values right = items_of(arguments.at(1, ""));
  Values pairs;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    pairs.push_back(list_of({left[i], right[i]}, true));
  return list_of(std::move(pairs));
}

}  // namespace

Interpreter::Interpreter() {
  // An earlier row may have changed Keras's settings.
  set_default_float(DType::float32);
  mixed_precision::reset_global_policy();
  for (const char* name : {"np", "keras"}) globals_[name] = {Module{name}};
  for (const char* name :
       {"layers", "losses", "metrics", "optimizers", "initializers", "regularizers", "constraints",
        "callbacks", "ops", "saving", "models", "utils"}) {
    globals_[name] = {Module{format("keras.{}", name)}};
  }
  globals_["None"] = {};
  globals_["True"] = {true};
  globals_["False"] = {false};
  globals_["range"] = {Callable(range)};
  globals_["len"] = {Callable([](const Arguments& arguments) -> Value {
    return {static_cast<int64_t>(items_of(arguments.at(0, "")).size())};
  })};
  globals_["list"] = globals_["tuple"] = {Callable(
      [](const Arguments& arguments) -> Value { return list_of(items_of(arguments.at(0, ""))); })};
  globals_["zip"] = {Callable(zip)};
  globals_["str"] = {Callable(
      [](const Arguments& arguments) -> Value { return {to_string(arguments.at(0, "object"))}; })};
  globals_["print"] = {Callable([](const Arguments&) -> Value { return {}; })};
  for (const char* type : {"int", "float"}) globals_[type] = {Module{format("np.{}64", type)}};
  globals_["open"] = {Callable([](const Arguments& arguments) -> Value {
    return {Module{"file:" + to_string(arguments.at(0, "file"))}};
  })};
}

void Interpreter::run(const std::string& source) { run(parse(source), globals_); }

std::optional<Value> Interpreter::run(const Block& block, Scope& scope) {
  for (const Statement& statement : block) {
    switch (statement.kind) {
      case Statement::Kind::evaluate:
        evaluate(statement.value, scope);
        break;
      case Statement::Kind::assign:
        assign(*statement.target, evaluate(statement.value, scope), scope);
        break;
      case Statement::Kind::result:
        return evaluate(statement.value, scope);
      case Statement::Kind::define:
        scope[statement.name] = function(statement, scope);
        break;
      case Statement::Kind::loop:
        for (const Value& item : items_of(evaluate(statement.value, scope))) {
          assign_names(statement.parameters, item, scope);
          if (auto result = run(*statement.body, scope)) return result;
        }
        break;
    }
  }
  return std::nullopt;
}

void Interpreter::assign_names(const std::vector<std::string>& names, const Value& value,
                               Scope& scope) {
  if (names.size() == 1) {
    scope[names[0]] = value;
    return;
  }
  const Values parts = items_of(value);
  for (size_t i = 0; i < names.size(); ++i) scope[names[i]] = parts.at(i);
}

Value Interpreter::function(const Statement& definition, Scope& scope) {
  Values defaults;
  for (const ExpressionPtr& value : definition.defaults)
    defaults.push_back(value == nullptr ? Value() : evaluate(value, scope));
  return {Callable([this, definition, defaults](const Arguments& arguments) {
    Scope local = globals_;
    for (size_t i = 0; i < definition.parameters.size(); ++i) {
      const std::string& name = definition.parameters[i];
      local[name] = arguments.has(i, name) ? arguments.at(i, name) : defaults[i];
    }
    return run(*definition.body, local).value_or(Value());
  })};
}

void Interpreter::assign(const Expression& target, const Value& value, Scope& scope) {
  using Kind = Expression::Kind;
  if (target.kind == Kind::name) {
    scope[target.text] = value;
  } else if (target.kind == Kind::attribute) {
    set_attribute(evaluate(target.parts[0], scope), target.text, value);
  } else if (target.kind == Kind::tuple) {
    const Values items = items_of(value);
    for (size_t i = 0; i < target.parts.size(); ++i) assign(*target.parts[i], items.at(i), scope);
  } else if (target.kind == Kind::index) {
    const Value list = evaluate(target.parts[0], scope);
    const auto* sequence = list.get<Sequence>();
    if (sequence == nullptr)
      throw Unwritable{"an assignment to an element of something that is not a list"};
    const int64_t index = to_integer(evaluate(target.parts[1], scope));
    const int64_t size = std::ssize(*sequence->items);
    sequence->items->at(static_cast<size_t>(index < 0 ? index + size : index)) = value;
  } else {
    throw Unsupported{"an assignment to this kind of expression"};
  }
}

Value Interpreter::evaluate(const ExpressionPtr& expression, Scope& scope) {
  using Kind = Expression::Kind;
  if (expression == nullptr) return {};
  const Expression& e = *expression;
  const auto part = [&](size_t i) { return evaluate(e.parts[i], scope); };
  switch (e.kind) {
    case Kind::integer:
      return {static_cast<int64_t>(std::stoll(e.text))};
    case Kind::floating:
      return {std::stod(e.text)};
    case Kind::string:
      return {e.text};
    case Kind::name: {
      const auto found = scope.find(e.text);
      if (found == scope.end()) throw Unsupported{format("the name '{}'", e.text)};
      return found->second;
    }
    case Kind::attribute: {
      const Value self = part(0);
      if (const auto* module = self.get<Module>())
        return attribute_of_module(*module, e.text, session_);
      return attribute_of(self, e.text, session_);
    }
    case Kind::call:
      return evaluate_call(e, scope);
    case Kind::index: {
      const Value self = part(0);
      if (e.parts[1]->kind == Kind::slice) {
        return sliced(self, evaluate(e.parts[1]->parts[0], scope),
                      evaluate(e.parts[1]->parts[1], scope));
      }
      return evaluate_index(self, e.parts[1], scope);
    }
    case Kind::list:
    case Kind::tuple: {
      Values items;
      for (size_t i = 0; i < e.parts.size(); ++i) items.push_back(part(i));
      return list_of(std::move(items), e.kind == Kind::tuple);
    }
    case Kind::dictionary: {
      Dictionary dictionary;
      for (size_t i = 0; i < e.parts.size(); i += 2) {
        const Value key = part(i);
        dictionary.items.emplace_back(
            key.get<int64_t>() != nullptr ? std::to_string(to_integer(key)) : to_string(key),
            part(i + 1));
      }
      return {dictionary};
    }
    case Kind::binary:
      if (e.text == "and" || e.text == "or") {
        Value left = part(0);
        return is_true(left) == (e.text == "and") ? part(1) : left;
      }
      return arithmetic(e.text, part(0), part(1));
    case Kind::negative:
      return arithmetic("-", {int64_t{0}}, part(0));
    case Kind::inverse:
      return {!is_true(part(0))};
    case Kind::condition:
      return is_true(part(1)) ? part(0) : part(2);
    case Kind::lambda: {
      Statement definition = {.kind = Statement::Kind::define, .parameters = e.names};
      definition.defaults.resize(e.names.size());
      definition.body = std::make_shared<const Block>(
          Block{Statement{.kind = Statement::Kind::result, .value = e.parts[0]}});
      return function(definition, scope);
    }
    case Kind::comprehension:
      return evaluate_comprehension(e, scope);
    case Kind::slice:
    case Kind::starred:
      break;
  }
  throw Unsupported{"a slice outside of brackets, or a star outside of a call"};
}

Value Interpreter::evaluate_index(const Value& self, const ExpressionPtr& subscript, Scope& scope) {
  if (const auto* dictionary = self.get<Dictionary>()) {
    const std::string key = to_string(evaluate(subscript, scope));
    for (const auto& [name, item] : dictionary->items)
      if (name == key) return item;
    throw KeyError("A dictionary without the key '{}'.", key);
  }
  if (self.get<Tensor>() == nullptr) {
    const Values items = items_of(self);
    const int64_t index = to_integer(evaluate(subscript, scope));
    const int64_t at = index < 0 ? index + std::ssize(items) : index;
    if (at < 0 || at >= std::ssize(items)) throw Unwritable{"an index beyond the end of a list"};
    return items[static_cast<size_t>(at)];
  }
  const bool several = subscript->kind == Expression::Kind::tuple;
  Values indices;
  std::vector<std::optional<std::pair<Value, Value>>> slices;
  for (const ExpressionPtr& axis : several ? subscript->parts : std::vector{subscript}) {
    const bool is_slice = axis->kind == Expression::Kind::slice;
    indices.push_back(is_slice ? Value() : evaluate(axis, scope));
    slices.push_back(is_slice ? std::optional(std::pair(evaluate(axis->parts[0], scope),
                                                        evaluate(axis->parts[1], scope)))
                              : std::nullopt);
  }
  return element(to_tensor(self), indices, slices);
}

Value Interpreter::evaluate_comprehension(const Expression& e, Scope& scope) {
  Scope inner = scope;
  auto items = std::make_shared<Values>();
  for (const Value& value : items_of(evaluate(e.parts[1], scope))) {
    assign_names(e.names, value, inner);
    items->push_back(evaluate(e.parts[0], inner));
  }
  if (e.text == "[") return {Sequence{false, items}};
  return {Iterator{items}};
}

Value Interpreter::evaluate_call(const Expression& e, Scope& scope) {
  const Value function = evaluate(e.parts[0], scope);
  Arguments arguments;
  const size_t positional = e.parts.size() - 1 - e.names.size();
  for (size_t i = 0; i + 1 < e.parts.size(); ++i) {
    const ExpressionPtr& part = e.parts[i + 1];
    const bool starred = part->kind == Expression::Kind::starred;
    const Value value = evaluate(starred ? part->parts[0] : part, scope);
    if (starred) {
      for (const Value& item : items_of(value)) arguments.positional.push_back(item);
    } else if (i < positional) {
      arguments.positional.push_back(value);
    } else if (e.names[i - positional] == "**") {
      const auto* dictionary = value.get<Dictionary>();
      if (dictionary == nullptr) throw Unwritable{"`**` of something that is not a dictionary"};
      for (const auto& item : dictionary->items) arguments.named.push_back(item);
    } else {
      arguments.named.emplace_back(e.names[i - positional], value);
    }
  }
  if (const auto* callable = function.get<Callable>()) return (*callable)(arguments);
  return call_object(function, arguments);
}

}  // namespace antler::conformance::python
