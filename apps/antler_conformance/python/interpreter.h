#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "python/ast.h"
#include "python/value.h"

namespace antler::conformance::python {

/// What the names of a row stand for, and the models that it made.
struct Session {
  std::vector<std::shared_ptr<Model>> models = {};
};

/// `name` of a module of Keras or NumPy: a module, a class or a function.
Value attribute_of_module(const Module& module, const std::string& name, Session& session);
/// `name` of a value: a number, a method.
Value attribute_of(const Value& self, const std::string& name, Session& session);
void set_attribute(const Value& self, const std::string& name, const Value& value);
/// `self(...)` of a layer, a model, an initializer.
Value call_object(const Value& self, const Arguments& arguments);
/// An instance of one of Keras's classes from its arguments.
Value construct(const std::string& module, const std::string& class_name,
                const Arguments& arguments);
/// Names of a class's leading parameters, in order.
std::vector<std::string> parameters_of(const std::string& class_name);

/// Evaluates Python through Antler's public API. Throws what Antler throws, and Unwritable where
/// C++ has no such thing to write.
class Interpreter {
 public:
  Interpreter();
  void run(const std::string& source);
  const Session& session() const { return session_; }

 private:
  using Scope = std::map<std::string, Value>;
  /// The value of the `return` that ended it; none otherwise.
  std::optional<Value> run(const Block& block, Scope& scope);
  Value evaluate(const ExpressionPtr& expression, Scope& scope);
  Value evaluate_call(const Expression& call, Scope& scope);
  Value evaluate_comprehension(const Expression& comprehension, Scope& scope);
  void assign(const Expression& target, const Value& value, Scope& scope);
  Value function(const Statement& definition, Scope& scope);

  Session session_;
  Scope globals_;
};

}  // namespace antler::conformance::python
