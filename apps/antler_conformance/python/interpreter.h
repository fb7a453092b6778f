#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/ast.h"
#include "python/value.h"

namespace antler::conformance::python {

/// The models that a row created.
struct Session {
  std::vector<std::shared_ptr<Model>> models = {};
};

/// `name` in a module of Keras or NumPy: a module, a class or a function.
Value attribute_of_module(const Module& module, const std::string& name, Session& session);
/// A function, type, number or module of NumPy.
Value attribute_of_numpy(const std::string& path, const std::string& name);
/// The function of keras.ops of this name ("sum", "image.resize"); nullopt if there is none.
std::optional<Value> operation(const std::string& name);
/// The function at this path ("keras.utils.normalize"), unless it belongs to a class; nullopt if
/// there is none.
std::optional<Value> function_of_keras(const std::string& path, Session& session);
/// Makes a model part of the session.
Value remember(Session& session, std::shared_ptr<Model> model);
/// The attribute `name` of a model; nullopt if only layers may have it.
std::optional<Value> attribute_of_model(const std::shared_ptr<Model>& model,
                                        const std::string& name);
/// The attribute `name` of a value.
Value attribute_of(const Value& self, const std::string& name, Session& session);
void set_attribute(const Value& self, const std::string& name, const Value& value);
/// Calls a layer, a model or an initializer.
Value call_object(const Value& self, const Arguments& arguments);
/// Creates an instance of one of Keras's classes.
Value construct(const std::string& module, const std::string& class_name,
                const Arguments& arguments);
/// Names of the first parameters of a class's constructor.
std::vector<std::string> parameters_of(const std::string& class_name);

/// Interprets Python with Antler's public API. Throws what Antler throws, and Unwritable for code
/// that has no C++ equivalent.
class Interpreter {
 public:
  Interpreter();
  void run(const std::string& source);
  const Session& session() const { return session_; }

 private:
  using Scope = std::map<std::string, Value>;
  /// The value of the `return` statement; nullopt if there was none.
  std::optional<Value> run(const Block& block, Scope& scope);
  Value evaluate(const ExpressionPtr& expression, Scope& scope);
  Value evaluate_index(const Value& self, const ExpressionPtr& subscript, Scope& scope);
  Value evaluate_call(const Expression& call, Scope& scope);
  Value evaluate_comprehension(const Expression& comprehension, Scope& scope);
  void assign(const Expression& target, const Value& value, Scope& scope);
  static void assign_names(const std::vector<std::string>& names, const Value& value, Scope& scope);
  Value function(const Statement& definition, Scope& scope);

  Session session_;
  Scope globals_;
};

}  // namespace antler::conformance::python
