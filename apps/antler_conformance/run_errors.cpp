// A table of wrong uses, each with the exception that Keras raises. The rows are Python code, which
// is interpreted with Antler's public API.
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "kinds.h"
#include "python/interpreter.h"
#include "temporary_folder.h"

namespace antler::conformance {
namespace {

struct ErrorRow {
  std::string python;
  std::string exception;  ///< empty: Keras accepts it
  std::string first_line;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Quoted strings after `label`, up to the next closing bracket.
std::set<std::string> quoted_after(const std::string& text, std::string_view label) {
  std::set<std::string> names;
  const size_t start = text.find(label);
  if (start == std::string::npos) return names;
  const std::string part = text.substr(start, text.find(']', start) - start);
  const std::regex quoted("'([^']*)'");
  for (std::sregex_iterator it(part.begin(), part.end(), quoted), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

bool leaves_outputs_out(const ErrorRow& row) {
  const std::set<std::string> expected = quoted_after(row.first_line, "Expected keys [");
  const std::set<std::string> found = quoted_after(row.first_line, "loss.keys()=[");
  return !found.empty() &&
         std::includes(expected.begin(), expected.end(), found.begin(), found.end());
}

bool class_weights_have_gaps(const ErrorRow& row) {
  static const std::regex kArgument("class_weight=\\{([^}]*)\\}");
  static const std::regex kKey("(\\d+):");
  std::smatch argument;
  if (!std::regex_search(row.python, argument, kArgument)) return false;
  const std::string items = argument[1];
  int64_t expected = 0;
  for (std::sregex_iterator it(items.begin(), items.end(), kKey), end; it != end; ++it)
    if (std::stoll((*it)[1]) != expected++) return true;
  return false;
}

/// A case where Antler follows Keras 2, or is stricter than Keras 3.
struct Rule {
  const char* why;
  bool (*applies)(const ErrorRow& row);
  const char* exception;  ///< the class that Antler throws; "" if it accepts the row
};

constexpr Rule kRules[] = {
    {"a model that was not compiled is a RuntimeError",
     [](const ErrorRow& r) { return contains(r.first_line, "You must call `compile()`"); },
     "RuntimeError"},
    {"\"crossentropy\" is resolved by shape",
     [](const ErrorRow& r) { return contains(r.first_line, "metric identifier: crossentropy"); },
     ""},
    {"a flat list of metrics goes to every output",
     [](const ErrorRow& r) {
       return contains(r.first_line, "tuple arity mismatch") && contains(r.first_line, "tuple: ('");
     },
     ""},
    {"one metric need not be in a list",
     [](const ErrorRow& r) {
       return contains(r.first_line, "metrics` argument to be a list") &&
              contains(r.first_line, "of type <class 'str'>");
     },
     ""},
    {"outputs missing from a dictionary of losses have no loss", leaves_outputs_out, ""},
    {"class weights and sample weights are multiplied; every class must have a weight",
     [](const ErrorRow& r) {
       return contains(r.first_line, "`class_weight`") &&
              contains(r.python, "class_weight={0: 1.0}");
     },
     "ValueError"},
    {"class weights and sample weights are multiplied",
     [](const ErrorRow& r) {
       return contains(r.first_line, "`class_weight` and `sample_weight`") ||
              contains(r.first_line, "`sample_weight` and `class_weight`");
     },
     ""},
    {"the number of inputs must be that of the model",
     [](const ErrorRow& r) { return r.exception.empty() && contains(r.python, "fit([x, x]"); },
     "ValueError"},
    {"options of a layer are checked in its constructor",
     [](const ErrorRow& r) {
       static const std::regex kLayerAlone("layers\\.\\w+\\([a-z_]+='\\w+'\\)");
       return r.exception.empty() && std::regex_match(r.python, kLayerAlone);
     },
     "ValueError"},
    {"steps_per_execution=0 means 1",
     [](const ErrorRow& r) { return contains(r.python, "steps_per_execution=0"); }, ""},
    {"sample weights may be a dictionary by output",
     [](const ErrorRow& r) { return contains(r.python, "sample_weight={"); }, ""},
    {"jit_compile and run_eagerly exclude each other",
     [](const ErrorRow& r) {
       return contains(r.python, "jit_compile=True") && contains(r.python, "run_eagerly=True");
     },
     "ValueError"},
    {"neither side of a split may be empty",
     [](const ErrorRow& r) { return contains(r.python, "validation_split=-"); }, "ValueError"},
    {"outputs without targets have no loss",
     [](const ErrorRow& r) { return contains(r.first_line, "or in the labels (`y_true`)"); }, ""},
    {"outputs that a dictionary of loss weights leaves out have the weight 1",
     [](const ErrorRow& r) {
       return r.exception == "KeyError" && contains(r.python, "loss_weights={");
     },
     ""},
    {"sample weights may be a list by output",
     [](const ErrorRow& r) {
       return contains(r.first_line, "one `sample_weight` array per output") &&
              contains(r.python, "sample_weight=[");
     },
     ""},
    {"the reduction \"auto\" is Keras 2's",
     [](const ErrorRow& r) { return contains(r.python, "reduction='auto'"); }, ""},
    {"weights may have a file in Keras 2's form",
     [](const ErrorRow& r) {
       return contains(r.first_line, "`.weights.h5`") && contains(r.python, ".h5')");
     },
     ""},
    {"the best value of \"acc\" is the largest",
     [](const ErrorRow& r) {
       return contains(r.first_line, "monitor=acc,") || contains(r.first_line, "monitor=val_acc,");
     },
     ""},
    {"a file that exists is not written over, without a question",
     [](const ErrorRow& r) {
       return r.exception == "EOFError" && contains(r.python, "overwrite=False");
     },
     "ValueError"},
    {"a model that was not compiled has no optimizer",
     [](const ErrorRow& r) {
       return r.exception == "AttributeError" && contains(r.python, ".optimizer");
     },
     "RuntimeError"},
    {"`pop` of an empty model is a TypeError",
     [](const ErrorRow& r) { return r.exception == "IndexError" && contains(r.python, ".pop()"); },
     "TypeError"},
    {"classes are 0 to n-1", class_weights_have_gaps, "ValueError"},
};

const Rule* rule_for(const ErrorRow& row) {
  for (const Rule& rule : kRules)
    if (rule.applies(row)) return &rule;
  return nullptr;
}

/// Antler's class for an exception of Python or of a backend ("tensorflow.X").
std::string exception_of(const ErrorRow& row) {
  static const std::map<std::string, std::string> kBases = {
      {"FileNotFoundError", "NotFoundError"}, {"OSError", "IOError"},
      {"IsADirectoryError", "IOError"},       {"PermissionError", "IOError"},
      {"JSONDecodeError", "ValueError"},      {"AxisError", "ValueError"}};
  const std::string name = row.exception.substr(row.exception.rfind('.') + 1);
  const auto base = kBases.find(name);
  return base == kBases.end() ? name : base->second;
}

/// Whether Python itself or a backend raised the error because Keras has no check: for example a
/// KeyError of a dictionary or a TypeError of an operator. Antler throws ValueError there.
bool is_unchecked_by_keras(const std::string& exception) {
  static const std::set<std::string> kUnchecked = {"KeyError",
                                                   "TypeError",
                                                   "AssertionError",
                                                   "FailedPreconditionError",
                                                   "InvalidArgumentError",
                                                   "UnboundLocalError",
                                                   "UnimplementedError",
                                                   "ZeroDivisionError"};
  return kUnchecked.contains(exception);
}

/// Whether the mistake is an unknown attribute, which would not compile in C++.
bool is_missing_attribute(const ErrorRow& row) {
  return row.exception == "AttributeError" && contains(row.first_line, "has no attribute");
}

/// Checks that a model can still be trained after an error.
void check_usable(Check& check, const std::string& where, Model& model) {
  if (!model.built() || model.inputs().empty()) return;
  const auto zeros = [](const Tensor& spec) {
    Shape shape = spec.shape();
    for (int i = 0; i < shape.rank(); ++i) shape[i] = shape[i] < 0 ? 2 : shape[i];
    return Tensor::zeros(spec.dtype(), shape);
  };
  try {
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.fit(model.input().map(zeros), model.output().map(zeros), {.verbose = 0});
  } catch (const std::exception& error) {
    check.truth(where, false, std::string("leaves the model unusable: ") + error.what());
  }
}

enum class ErrorOutcome : uint8_t {
  as_keras,   ///< same outcome as in Keras
  by_rule,    ///< different from Keras because of a Rule
  unchecked,  ///< ValueError for an error that Keras does not raise itself
  failed,
  unwritable,
};

ErrorOutcome run_row(const std::string& prelude, const ErrorRow& row, const std::string& id,
                     Check& check) {
  const TemporaryFolder folder;
  const Rule* rule = rule_for(row);
  const std::string expected = rule != nullptr ? rule->exception : exception_of(row);
  python::Interpreter interpreter;
  std::string got;
  std::string message;
  try {
    interpreter.run(prelude);
    interpreter.run(with_folder(row.python, folder.path()));
  } catch (const python::Unwritable&) {
    return ErrorOutcome::unwritable;
  } catch (const Unsupported& unsupported) {
    if (is_missing_attribute(row)) return ErrorOutcome::unwritable;
    check.truth(id, false, "was not understood: " + unsupported.reason);
    return ErrorOutcome::failed;
  } catch (const Error& error) {
    got = error.class_name();
    message = error.what();
  } catch (const std::exception& error) {
    got = "an exception that is not Antler's";
    message = error.what();
  }
  ErrorOutcome outcome = ErrorOutcome::failed;
  if (got == exception_of(row)) {
    outcome = ErrorOutcome::as_keras;
  } else if (got == expected) {
    outcome = ErrorOutcome::by_rule;
  } else if (got == "ValueError" && is_unchecked_by_keras(exception_of(row))) {
    outcome = ErrorOutcome::unchecked;
  }
  check.truth(id, outcome != ErrorOutcome::failed,
              format("{}, expected {}",
                     got.empty() ? "is accepted" : format("raises {} ({})", got, message),
                     expected.empty() ? "no error" : expected));
  if (got.empty()) return outcome;
  check.truth(id, message.size() > 20, "has too short a message: " + message);
  for (const auto& model : interpreter.session().models) check_usable(check, id, *model);
  return outcome;
}

}  // namespace

void run_errors(const GoldenCase& golden, Check& check) {
  const std::string prelude = golden.json.value("prelude", std::string());
  std::map<ErrorOutcome, std::vector<std::string>> ids;
  const Json& rows = golden.json.at("rows");
  for (const Json& json : rows) {
    const ErrorRow row = {
        .python = json.at("python").get<std::string>(),
        .exception = json.at("exception").is_null() ? "" : json["exception"].get<std::string>(),
        .first_line = json.value("first_line", std::string())};
    const std::string id = json.at("id").get<std::string>();
    ids[run_row(prelude, row, id, check)].push_back(id);
  }
  const auto named = [&](ErrorOutcome outcome) {
    const std::vector<std::string>& names = ids[outcome];
    return names.empty() ? "0" : fmt::format("{} ({})", names.size(), fmt::join(names, ", "));
  };
  check.note(format(
      "{} rows as in Keras; different on purpose: {}; ValueError where Keras has no check: {}; "
      "cannot be written in C++: {}",
      ids[ErrorOutcome::as_keras].size(), named(ErrorOutcome::by_rule),
      named(ErrorOutcome::unchecked), named(ErrorOutcome::unwritable)));
}

}  // namespace antler::conformance
