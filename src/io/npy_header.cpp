#include "io/npy_header.h"

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "antler/base/error.h"
#include "base/strings.h"

// NumPy is the only reference implementation. The header is a Python literal.
namespace antler::io {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kAlignment = 64;
/// NumPy's headers have less than 10 kB. Longer ones belong to structured dtypes, which tensors
/// cannot have.
constexpr size_t kMaxHeader = 65536;
/// NumPy's limit on dimensions.
constexpr size_t kMaxRank = 64;

struct TypeCode {
  DType dtype;
  std::string_view code;  ///< without byte order
};
constexpr std::array<TypeCode, kNumDTypes> kTypeCodes = {{
    {DType::float32, "f4"},
    {DType::float64, "f8"},
    {DType::bfloat16, "V2"},
    {DType::float16, "f2"},
    {DType::int8, "i1"},
    {DType::int16, "i2"},
    {DType::int32, "i4"},
    {DType::int64, "i8"},
    {DType::uint8, "u1"},
    {DType::uint16, "u2"},
    {DType::uint32, "u4"},
    {DType::uint64, "u8"},
    {DType::boolean, "b1"},
}};

/// Parses the header's Python dictionary:
///   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(descr_.has_value(), key);
        descr_ = description();
      } else if (key == "fortran_order") {
        once(order_.has_value(), key);
        order_ = boolean();
      } else if (key == "shape") {
        once(shape_.has_value(), key);
        shape_ = tuple();
      } else {
        corrupt(format("unknown key '{}'", key));
      }
      if (!accept(',') && peek() != '}') corrupt("expected ',' or '}'");
    }
    if (peek() != '\0') corrupt("unexpected characters after the dictionary");
    if (!descr_ || !order_ || !shape_) corrupt("one of descr, fortran_order and shape is missing");
    return header();
  }

 private:
  [[noreturn]] void corrupt(std::string_view what) const {
    throw IOError("{}: corrupt .npy header: {}.", where_, what);
  }

  void once(bool seen, const std::string& key) const {
    if (seen) corrupt(format("key '{}' occurs twice", key));
  }

  /// The next non-blank character; 0 at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) corrupt(format("expected '{}'", c));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') corrupt("expected a string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) corrupt("a string is not terminated");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  std::string description() {
    if (peek() == '[') {
      throw ValueError("{}: arrays of records (structured dtypes) are not supported.", where_);
    }
    return string();
  }

  bool boolean() {
    peek();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    corrupt("expected True or False");
  }

  int64_t integer() {
    if (peek() < '0' || peek() > '9') corrupt("expected a number");
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value)) {
        corrupt("a dimension is too large");
      }
    }
    // The suffix of Python 2's long integers.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(integer());
      if (shape.dims().size() > kMaxRank) corrupt("more than 64 dimensions");
      if (!accept(',') && peek() != ')') corrupt("expected ',' or ')'");
    }
    return shape;
  }

  NpyHeader header() const {
    NpyHeader result;
    std::string_view code = *descr_;
    char order = '|';
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    const TypeCode* type = nullptr;
    for (const TypeCode& t : kTypeCodes) {
      if (t.code == code) type = &t;
    }
    if (code == "?") type = &kTypeCodes.back();
    const bool has_order = type != nullptr && dtype_size(type->dtype) > 1;
    if (type == nullptr || (order == '>' && type->dtype == DType::bfloat16)) {
      throw ValueError(
          "{}: elements of NumPy type '{}' are not supported. Expected numbers of 1 to 8 bytes or "
          "bool.",
          where_, *descr_);
    }
    result.spec = {type->dtype, *shape_};
    result.fortran_order = *order_;
    result.swap_bytes = has_order && order == '>';
    // Dimensions of 0 are skipped, so that the product of the others is checked for overflow.
    auto bytes = static_cast<int64_t>(dtype_size(type->dtype));
    bool empty = false;
    for (const int64_t dim : *shape_) {
      empty = empty || dim == 0;
      if (dim != 0 && __builtin_mul_overflow(bytes, dim, &bytes)) corrupt("the shape is too large");
    }
    result.data_bytes = empty ? 0 : static_cast<uint64_t>(bytes);
    return result;
  }

  std::string_view text_;
  const std::string& where_;
  size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> order_;
  std::optional<Shape> shape_;
};

}  // namespace

NpyHeader read_npy_header(ByteSource& source, const std::string& where) {
  std::array<unsigned char, 8> start{};
  if (source.remaining() < start.size()) throw IOError("{}: too short for a .npy file.", where);
  source.read(start.data(), start.size());
  if (std::string_view(reinterpret_cast<const char*>(start.data()), 6) != kMagic) {
    throw IOError("{}: not a .npy file (it does not start with \\x93NUMPY).", where);
  }
  const int major = start[6];
  if (major < 1 || major > 3 || start[7] != 0) {
    throw IOError("{}: .npy version {}.{} is unknown. Expected 1.0, 2.0 or 3.0.", where, major,
                  start[7]);
  }
  std::array<unsigned char, 4> field{};
  const size_t width = major == 1 ? 2 : 4;
  if (source.remaining() < width) throw IOError("{}: the .npy header is truncated.", where);
  source.read(field.data(), width);
  const uint32_t length = uint32_t{field[0]} | uint32_t{field[1]} << 8 | uint32_t{field[2]} << 16 |
                          uint32_t{field[3]} << 24;
  if (length > source.remaining()) throw IOError("{}: the .npy header is truncated.", where);
  if (length > kMaxHeader) {
    throw IOError("{}: the .npy header is longer than {} bytes.", where, kMaxHeader);
  }
  std::string text(length, '\0');
  source.read(text.data(), text.size());
  NpyHeader header = HeaderParser(text, where).parse();
  if (header.data_bytes != source.remaining()) {
    throw IOError("{}: expected {} bytes of elements for shape {} and dtype {}. Found {}.", where,
                  header.data_bytes, header.spec.shape, dtype_name(header.spec.dtype),
                  source.remaining());
  }
  return header;
}

std::string make_npy_header(const TensorSpec& spec) {
  std::string text = "{'descr': '";
  text += dtype_size(spec.dtype) == 1 ? '|' : '<';
  for (const TypeCode& type : kTypeCodes) {
    if (type.dtype == spec.dtype) text += type.code;
  }
  text += "', 'fortran_order': False, 'shape': (";
  text += join(spec.shape, ", ", [](int64_t size) { return std::to_string(size); });
  text += spec.shape.rank() == 1 ? ",), }" : "), }";
  const size_t before = kMagic.size() + 4;
  const size_t total = (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.append(total - before - text.size() - 1, ' ');
  text += '\n';
  if (text.size() > std::numeric_limits<uint16_t>::max()) {
    throw ValueError("A .npy file cannot hold an array of {} dimensions.", spec.shape.rank());
  }
  std::string result(kMagic);
  result +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return result + text;
}

}  // namespace antler::io
