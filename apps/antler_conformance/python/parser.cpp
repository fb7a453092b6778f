#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "antler/base/format.h"
#include "check.h"
#include "python/ast.h"

namespace antler::conformance::python {
namespace {

struct Token {
  enum class Kind { name, number, string, symbol, line_end, end };
  Kind kind;
  std::string text;
  size_t column;  ///< indentation of the line
};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Tokenizer {
 public:
  explicit Tokenizer(const std::string& source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) next();
    add(Token::Kind::line_end, "");
    add(Token::Kind::end, "");
    return std::move(tokens_);
  }

 private:
  void add(Token::Kind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), line_column_});
  }

  void next() {
    const char c = source_[at_];
    if (c == '\n' || c == ';') {
      if (depth_ == 0) add(Token::Kind::line_end, "");
      ++at_;
      if (c == '\n' && depth_ == 0) {
        line_column_ = source_.find_first_not_of(' ', at_);
        line_column_ = line_column_ == std::string::npos ? 0 : line_column_ - at_;
      }
    } else if (c == ' ' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (c == '\'' || c == '"') {
      string(c);
    } else if (is_digit(c) ||
               (c == '.' && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]))) {
      number();
    } else if (is_name_character(c)) {
      const size_t start = at_;
      while (at_ < source_.size() && is_name_character(source_[at_])) ++at_;
      add(Token::Kind::name, source_.substr(start, at_ - start));
    } else {
      symbol();
    }
  }

  void string(char quote) {
    std::string value;
    for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
      if (source_[at_] == '\\' && at_ + 1 < source_.size()) {
        ++at_;
        value += source_[at_] == 'n' ? '\n' : source_[at_];
      } else {
        value += source_[at_];
      }
    }
    ++at_;
    add(Token::Kind::string, std::move(value));
  }

  void number() {
    const size_t start = at_;
    while (at_ < source_.size() &&
           (is_name_character(source_[at_]) || source_[at_] == '.' ||
            ((source_[at_] == '-' || source_[at_] == '+') && source_[at_ - 1] == 'e')))
      ++at_;
    add(Token::Kind::number, source_.substr(start, at_ - start));
  }

  void symbol() {
    static constexpr std::string_view kSymbols = "()[]{},:.=+-*/%<>!@";
    static constexpr std::string_view kPairs[] = {"**", "//", "<=", ">=", "==", "!="};
    const char c = source_[at_];
    if (kSymbols.find(c) == std::string_view::npos)
      throw Unsupported{format("the Python character '{}'", std::string(1, c))};
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    const std::string_view two = std::string_view(source_).substr(at_, 2);
    const bool pair = std::find(std::begin(kPairs), std::end(kPairs), two) != std::end(kPairs);
    add(Token::Kind::symbol, source_.substr(at_, pair ? 2 : 1));
    at_ += pair ? 2 : 1;
  }

  const std::string& source_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t line_column_ = 0;
  std::vector<Token> tokens_;
};

using Kind = Expression::Kind;

ExpressionPtr make(Kind kind, std::string text, std::vector<ExpressionPtr> parts = {},
                   std::vector<std::string> names = {}) {
  return std::make_shared<const Expression>(
      Expression{kind, std::move(text), std::move(parts), std::move(names)});
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  /// Statements indented by at least `column`.
  Block block(size_t column) {
    Block statements;
    for (;;) {
      while (peek().kind == Token::Kind::line_end) ++at_;
      if (peek().kind == Token::Kind::end || peek().column < column) return statements;
      if (peek().text == "import" || peek().text == "from") {
        while (peek().kind != Token::Kind::line_end) ++at_;
        continue;
      }
      statements.push_back(statement());
    }
  }

 private:
  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view symbol) const {
    const Token::Kind kind = peek().kind;
    return peek().text == symbol && (kind == Token::Kind::symbol || kind == Token::Kind::name);
  }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) {
      throw Unsupported{format("Python with '{}' instead of '{}'", peek().text, symbol)};
    }
  }
  std::string name() {
    if (peek().kind != Token::Kind::name)
      throw Unsupported{format("Python with '{}' instead of a name", peek().text)};
    return tokens_[at_++].text;
  }

  Statement statement() {
    if (take("def")) return definition();
    if (take("for")) return loop();
    if (take("class") || take("with") || take("try") || take("if"))
      throw Unsupported{"Python with classes, `with`, `try` or `if`"};
    if (take("return")) return {.kind = Statement::Kind::result, .value = expressions()};
    ExpressionPtr first = expressions();
    if (!take("=")) return {.kind = Statement::Kind::evaluate, .value = std::move(first)};
    return {.kind = Statement::Kind::assign, .target = std::move(first), .value = expressions()};
  }

  Statement definition() {
    Statement result = {.kind = Statement::Kind::define};
    result.name = name();
    expect("(");
    while (!take(")")) {
      result.parameters.push_back(name());
      result.defaults.push_back(take("=") ? expression() : nullptr);
      take(",");
    }
    expect(":");
    result.body = body();
    return result;
  }

  Statement loop() {
    Statement result = {.kind = Statement::Kind::loop};
    do {
      result.parameters.push_back(name());
    } while (take(","));
    expect("in");
    result.value = expressions();
    expect(":");
    result.body = body();
    return result;
  }

  /// The indented lines after a colon, or one statement in the same line.
  std::shared_ptr<const Block> body() {
    if (peek().kind != Token::Kind::line_end)
      return std::make_shared<const Block>(Block{statement()});
    while (peek().kind == Token::Kind::line_end) ++at_;
    return std::make_shared<const Block>(block(peek().column));
  }

  /// One expression, or a tuple without parentheses.
  ExpressionPtr expressions() {
    ExpressionPtr first = expression();
    if (!is(",")) return first;
    std::vector<ExpressionPtr> parts = {std::move(first)};
    while (take(",")) parts.push_back(expression());
    return make(Kind::tuple, "", std::move(parts));
  }

  ExpressionPtr expression() {
    ExpressionPtr value = plain_expression();
    if (!take("if")) return value;
    ExpressionPtr test = plain_expression();
    expect("else");
    return make(Kind::condition, "", {std::move(value), std::move(test), expression()});
  }

  ExpressionPtr plain_expression() {
    if (take("lambda")) {
      std::vector<std::string> names;
      while (!take(":")) {
        names.push_back(name());
        take(",");
      }
      return make(Kind::lambda, "", {expression()}, std::move(names));
    }
    return binary({"or"}, [this] { return binary({"and"}, [this] { return negation(); }); });
  }

  ExpressionPtr negation() {
    if (take("not")) return make(Kind::inverse, "", {negation()});
    return binary({"<", ">", "<=", ">=", "==", "!="}, [this] {
      return binary({"+", "-"}, [this] { return term(); });
    });
  }

  ExpressionPtr term() {
    return binary({"*", "/", "%", "//", "**", "@"}, [this] { return unary(); });
  }

  template <class F>
  ExpressionPtr binary(const std::vector<std::string_view>& operators, const F& operand) {
    ExpressionPtr left = operand();
    for (;;) {
      const auto found = std::find_if(operators.begin(), operators.end(),
                                      [this](std::string_view o) { return is(o); });
      if (found == operators.end()) return left;
      ++at_;
      left = make(Kind::binary, std::string(*found), {left, operand()});
    }
  }

  ExpressionPtr unary() {
    if (take("-")) return make(Kind::negative, "", {unary()});
    if (take("+")) return unary();
    ExpressionPtr value = atom();
    for (;;) {
      if (take(".")) {
        value = make(Kind::attribute, name(), {value});
      } else if (take("(")) {
        value = call(value);
      } else if (take("[")) {
        value = make(Kind::index, "", {value, subscript()});
        expect("]");
      } else {
        return value;
      }
    }
  }

  /// An index, a slice, or a tuple of these.
  ExpressionPtr subscript() {
    ExpressionPtr first = subscript_of_axis();
    if (!is(",")) return first;
    std::vector<ExpressionPtr> parts = {std::move(first)};
    while (take(",") && !is("]")) parts.push_back(subscript_of_axis());
    return make(Kind::tuple, "", std::move(parts));
  }

  ExpressionPtr subscript_of_axis() {
    ExpressionPtr start = is(":") ? nullptr : expression();
    if (!take(":")) return start;
    const bool open = is("]") || is(",");
    return make(Kind::slice, "", {start, open ? nullptr : expression()});
  }

  ExpressionPtr call(ExpressionPtr function) {
    std::vector<ExpressionPtr> parts = {std::move(function)};
    std::vector<std::string> names;
    while (!take(")")) {
      if (peek().kind == Token::Kind::name && peek(1).text == "=") {
        names.push_back(name());
        ++at_;
      } else if (take("**")) {
        names.emplace_back("**");
      }
      const bool starred = take("*");
      ExpressionPtr argument = comprehension(expression(), "(");
      parts.push_back(starred ? make(Kind::starred, "", {argument}) : argument);
      if (!is(")")) expect(",");
    }
    return make(Kind::call, "", std::move(parts), std::move(names));
  }

  /// `element for names in values`, or only the element.
  ExpressionPtr comprehension(ExpressionPtr element, const char* bracket) {
    if (!take("for")) return element;
    std::vector<std::string> names = {name()};
    while (take(",")) names.push_back(name());
    expect("in");
    return make(Kind::comprehension, bracket, {std::move(element), expression()}, names);
  }

  ExpressionPtr atom() {
    const Token token = peek();
    if (take("(")) return parenthesized();
    if (take("[")) return bracketed();
    if (take("{")) return braced();
    ++at_;
    switch (token.kind) {
      case Token::Kind::number:
        return make(
            token.text.find_first_of(".e") == std::string::npos ? Kind::integer : Kind::floating,
            token.text);
      case Token::Kind::string: {
        std::string text = token.text;
        while (peek().kind == Token::Kind::string) text += tokens_[at_++].text;
        return make(Kind::string, std::move(text));
      }
      case Token::Kind::name:
        return make(Kind::name, token.text);
      default:
        throw Unsupported{format("Python with '{}'", token.text)};
    }
  }

  ExpressionPtr parenthesized() {
    if (take(")")) return make(Kind::tuple, "");
    ExpressionPtr first = comprehension(expression(), "(");
    if (take(")")) return first;
    std::vector<ExpressionPtr> parts = {std::move(first)};
    while (take(",") && !is(")")) parts.push_back(expression());
    expect(")");
    return make(Kind::tuple, "", std::move(parts));
  }

  ExpressionPtr bracketed() {
    std::vector<ExpressionPtr> parts;
    while (!take("]")) {
      parts.push_back(expression());
      if (is("for")) {
        ExpressionPtr list = comprehension(parts[0], "[");
        expect("]");
        return list;
      }
      if (!is("]")) expect(",");
    }
    return make(Kind::list, "", std::move(parts));
  }

  ExpressionPtr braced() {
    std::vector<ExpressionPtr> parts;
    while (!take("}")) {
      parts.push_back(expression());
      expect(":");
      parts.push_back(expression());
      if (!is("}")) expect(",");
    }
    return make(Kind::dictionary, "", std::move(parts));
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace

Block parse(const std::string& source) { return Parser(Tokenizer(source).run()).block(0); }

}  // namespace antler::conformance::python
