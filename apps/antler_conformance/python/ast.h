#pragma once

#include <memory>
#include <string>
#include <vector>

/// The subset of Python that the rows of an error table use.
namespace antler::conformance::python {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

struct Expression {
  enum class Kind {
    integer,     ///< text
    floating,    ///< text
    string,      ///< text
    name,        ///< text
    attribute,   ///< parts[0].text
    call,        ///< parts[0](parts[1:]); the last names.size() arguments are named; "**": all of a
                 ///< dictionary
    index,       ///< parts[0][parts[1]]
    slice,       ///< parts: start, stop; may be null
    list,        ///< parts
    tuple,       ///< parts
    dictionary,  ///< parts: key, value, key, value ...
    binary,      ///< parts[0] text parts[1]
    condition,   ///< parts[0] if parts[1] else parts[2]
    negative,    ///< -parts[0]
    inverse,     ///< not parts[0]
    starred,     ///< *parts[0], an argument of a call
    lambda,      ///< names -> parts[0]
    comprehension,  ///< parts[0] for names in parts[1]; text is "[" for a list
  };
  Kind kind;
  std::string text = {};
  std::vector<ExpressionPtr> parts = {};
  std::vector<std::string> names = {};
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind {
    evaluate,  ///< value
    assign,    ///< target = value
    result,    ///< return value
    define,    ///< def name(parameters = defaults): body
    loop,      ///< for parameters in value: body
  };
  Kind kind = Kind::evaluate;
  ExpressionPtr target = {};
  ExpressionPtr value = {};
  std::string name = {};
  std::vector<std::string> parameters = {};
  std::vector<ExpressionPtr> defaults = {};  ///< null if a parameter has none
  std::shared_ptr<const Block> body = {};
};

/// Parses source code; imports are skipped. Throws Unsupported for other syntax.
Block parse(const std::string& source);

}  // namespace antler::conformance::python
