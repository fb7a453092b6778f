#include "pjrt/lowering/emitter.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "antler/base/error.h"
#include "base/strings.h"

namespace antler::pjrt {
namespace {

/// The bytes of an element as MLIR writes them: hexadecimal, most significant byte first.
void append_hex(std::string& text, const unsigned char* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
}

/// The bits of a number in a float format of `exponent` and `mantissa` bits, as a hex literal.
std::string float_bits(double number, std::string_view element) {
  if (element == "f64") {
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return format("0x{:016X}", bits);
  }
  const auto dtype = element == "f16"    ? DType::float16
                     : element == "bf16" ? DType::bfloat16
                                         : DType::float32;
  const Tensor value = Tensor::full(dtype, {}, number);
  if (dtype == DType::float32) {
    uint32_t bits = 0;
    std::memcpy(&bits, value.data(), sizeof bits);
    return format("0x{:08X}", bits);
  }
  uint16_t bits = 0;
  std::memcpy(&bits, value.data(), sizeof bits);
  return format("0x{:04X}", bits);
}

}  // namespace

const char* element_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "f32";
    case DType::float64:
      return "f64";
    case DType::bfloat16:
      return "bf16";
    case DType::float16:
      return "f16";
    case DType::int8:
      return "i8";
    case DType::int16:
      return "i16";
    case DType::int32:
      return "i32";
    case DType::int64:
      return "i64";
    case DType::uint8:
      return "ui8";
    case DType::uint16:
      return "ui16";
    case DType::uint32:
      return "ui32";
    case DType::uint64:
      return "ui64";
    case DType::boolean:
      return "i1";
  }
  throw InternalError("a dtype without a name in MLIR");
}

bool is_half_element(std::string_view element) { return element == "bf16" || element == "f16"; }

bool is_float_element(std::string_view element) {
  return element == "f32" || element == "f64" || element == "bf16" || element == "f16";
}

std::string Type::str() const {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += format("{}x", dim);
  return text + element + ">";
}

int64_t Type::num_elements() const {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

Type type_of(const TensorSpec& spec) { return {element_type(spec.dtype), spec.shape.dims()}; }

std::string join_ints(std::span<const int64_t> numbers) {
  return join(numbers, ", ", [](int64_t n) { return format("{}", n); });
}

std::string i64_array(std::span<const int64_t> numbers) {
  return numbers.empty() ? "array<i64>" : format("array<i64: {}>", join_ints(numbers));
}

std::string i64_scalar(int64_t number) { return format("{} : i64", number); }

std::string i64_pairs(std::span<const std::pair<int64_t, int64_t>> pairs) {
  if (pairs.empty()) return "dense<> : tensor<0x2xi64>";
  return format(
      "dense<[{}]> : tensor<{}x2xi64>",
      join(pairs, ", ", [](const auto& p) { return format("[{}, {}]", p.first, p.second); }),
      pairs.size());
}

std::string Emitter::fresh() { return format("%{}", next_++); }

void Emitter::line(const std::string& text) {
  text_ += text;
  text_ += '\n';
}

void Emitter::begin(std::string_view name, std::span<const Value> operands, size_t results,
                    std::vector<std::string>& names) {
  const std::string base = fresh();
  if (results == 1) {
    names = {base};
    text_ += base;
  } else {
    for (size_t i = 0; i < results; ++i) names.push_back(format("{}#{}", base, i));
    if (results > 0) text_ += format("{}:{}", base, results);
  }
  if (results > 0) text_ += " = ";
  text_ += format("\"stablehlo.{}\"(", std::string(name));
  text_ += join(operands, ", ", [](const Value& v) { return v.name; });
  text_ += ")";
}

void Emitter::end(std::span<const Value> operands, std::span<const Type> results,
                  std::string_view attributes) {
  if (!attributes.empty()) {
    text_ += " {";
    text_ += attributes;
    text_ += "}";
  }
  text_ += " : (";
  text_ += join(operands, ", ", [](const Value& v) { return v.type.str(); });
  text_ += ") -> ";
  if (results.size() == 1) {
    text_ += results[0].str();
  } else {
    text_ += "(" + join(results, ", ", [](const Type& t) { return t.str(); }) + ")";
  }
  if (!place_.empty()) text_ += format(" loc(\"{}\")", place_);
  text_ += '\n';
}

Value Emitter::op(std::string_view name, std::span<const Value> operands, Type result,
                  std::string_view attributes) {
  std::vector<std::string> names;
  begin(name, operands, 1, names);
  end(operands, std::span(&result, 1), attributes);
  return {names[0], std::move(result)};
}

Values Emitter::op(std::string_view name, std::span<const Value> operands,
                   std::span<const Type> results) {
  std::vector<std::string> names;
  begin(name, operands, results.size(), names);
  end(operands, results, {});
  Values values;
  for (size_t i = 0; i < results.size(); ++i) values.push_back({names[i], results[i]});
  return values;
}

Value Emitter::constrain(const Value& x, std::string_view sharding) {
  Value result{fresh(), x.type};
  line(format("{} = \"sdy.sharding_constraint\"({}) {{sharding = {}}} : ({}) -> {}", result.name,
              x.name, std::string(sharding), x.type.str(), x.type.str()));
  return result;
}

Values Emitter::op_with_regions(std::string_view name, std::span<const Value> operands,
                                std::span<const Type> results, std::span<const Region> regions,
                                std::string_view attributes) {
  std::vector<std::string> names;
  begin(name, operands, results.size(), names);
  text_ += " (";
  for (size_t r = 0; r < regions.size(); ++r) {
    text_ += r == 0 ? "{\n" : ", {\n";
    Values arguments;
    for (const Type& type : regions[r].arguments) arguments.push_back({fresh(), type});
    text_ += "^bb0";
    if (!arguments.empty()) {
      text_ += "(" +
               join(arguments, ", ",
                    [](const Value& v) { return format("{}: {}", v.name, v.type.str()); }) +
               ")";
    }
    text_ += ":\n";
    const Values returned = regions[r].body(arguments);
    line(format("\"stablehlo.return\"({}) : ({}) -> ()",
                join(returned, ", ", [](const Value& v) { return v.name; }),
                join(returned, ", ", [](const Value& v) { return v.type.str(); })));
    text_ += "}";
  }
  text_ += ")";
  end(operands, results, attributes);
  Values values;
  for (size_t i = 0; i < results.size(); ++i) values.push_back({names[i], results[i]});
  return values;
}

Value Emitter::compare(std::string_view direction, const Value& x, const Value& y) {
  return op(
      "compare", {x, y}, {"i1", x.type.dims},
      format("comparison_direction = #stablehlo<comparison_direction {}>", std::string(direction)));
}

Value Emitter::convert(const Value& x, std::string element) {
  if (x.type.element == element) return x;
  return op("convert", {x}, {std::move(element), x.type.dims});
}

Value Emitter::reshape(const Value& x, Ints dims) {
  if (x.type.dims == dims) return x;
  return op("reshape", {x}, {x.type.element, std::move(dims)});
}

Value Emitter::transpose(const Value& x, std::span<const int64_t> permutation) {
  Ints dims;
  for (const int64_t p : permutation) dims.push_back(x.type.dims[static_cast<size_t>(p)]);
  return op("transpose", {x}, {x.type.element, std::move(dims)},
            "permutation = " + i64_array(permutation));
}

Value Emitter::broadcast(const Value& x, std::span<const int64_t> dimensions, Ints dims) {
  return op("broadcast_in_dim", {x}, {x.type.element, std::move(dims)},
            "broadcast_dimensions = " + i64_array(dimensions));
}

Value Emitter::slice(const Value& x, std::span<const int64_t> start, std::span<const int64_t> limit,
                     std::span<const int64_t> strides) {
  Ints dims;
  for (size_t i = 0; i < start.size(); ++i)
    dims.push_back(limit[i] <= start[i] ? 0 : (limit[i] - start[i] + strides[i] - 1) / strides[i]);
  return op("slice", {x}, {x.type.element, std::move(dims)},
            format("start_indices = {}, limit_indices = {}, strides = {}", i64_array(start),
                   i64_array(limit), i64_array(strides)));
}

Value Emitter::pad(const Value& x, const Value& scalar, std::span<const int64_t> low,
                   std::span<const int64_t> high, std::span<const int64_t> interior) {
  Ints dims;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = x.type.dims[i];
    dims.push_back(size + low[i] + high[i] + std::max<int64_t>(size - 1, 0) * interior[i]);
  }
  return op("pad", {x, scalar}, {x.type.element, std::move(dims)},
            format("edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
                   i64_array(low), i64_array(high), i64_array(interior)));
}

Value Emitter::concatenate(std::span<const Value> parts, int64_t axis) {
  Type type = parts[0].type;
  int64_t& size = type.dims[static_cast<size_t>(axis)];
  size = 0;
  for (const Value& part : parts) size += part.type.dims[static_cast<size_t>(axis)];
  return op("concatenate", parts, std::move(type), "dimension = " + i64_scalar(axis));
}

Value Emitter::iota(int64_t axis, Type type) {
  return op("iota", {}, std::move(type), "iota_dimension = " + i64_scalar(axis));
}

Value Emitter::reduce(std::string_view name, const Value& x, const Value& initial,
                      std::span<const int64_t> axes) {
  Ints dims;
  for (int64_t i = 0; i < x.type.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end())
      dims.push_back(x.type.dims[static_cast<size_t>(i)]);
  }
  const Type element{x.type.element, {}};
  const Type result{x.type.element, dims};
  const Value operands[] = {x, initial};
  const Region region{{element, element},
                      [&](const Values& v) { return Values{binary(name, v[0], v[1])}; }};
  return op_with_regions("reduce", operands, std::span(&result, 1), std::span(&region, 1),
                         "dimensions = " + i64_array(axes))[0];
}

Value Emitter::dynamic_slice(const Value& x, std::span<const Value> starts,
                             std::span<const int64_t> sizes) {
  Values operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return op("dynamic_slice", operands, {x.type.element, Ints(sizes.begin(), sizes.end())},
            "slice_sizes = " + i64_array(sizes));
}

Value Emitter::dynamic_update_slice(const Value& x, const Value& update,
                                    std::span<const Value> starts) {
  Values operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return op("dynamic_update_slice", operands, x.type);
}

Value Emitter::take(const Value& x, int64_t axis, const Value& i) {
  Values starts(x.type.dims.size(), fill_int(0, i.type));
  starts[static_cast<size_t>(axis)] = i;
  Ints sizes = x.type.dims;
  sizes[static_cast<size_t>(axis)] = 1;
  const Value slice = dynamic_slice(x, starts, sizes);
  sizes.erase(sizes.begin() + axis);
  return reshape(slice, sizes);
}

Value Emitter::put(const Value& x, int64_t axis, const Value& i, const Value& element) {
  Values starts(x.type.dims.size(), fill_int(0, i.type));
  starts[static_cast<size_t>(axis)] = i;
  Ints dims = element.type.dims;
  dims.insert(dims.begin() + axis, 1);
  return dynamic_update_slice(x, reshape(element, dims), starts);
}

Value Emitter::literal(const Tensor& tensor) {
  const Type type = type_of(tensor.spec());
  std::string text;
  const int64_t count = tensor.size();
  if (count == 0) {
    text = "dense<>";
  } else if (type.element == "i1") {
    const bool* const flags = tensor.data<bool>();
    bool equal = true;
    for (int64_t i = 1; i < count; ++i) equal = equal && flags[i] == flags[0];
    if (equal) {
      text = flags[0] ? "dense<true>" : "dense<false>";
    } else {  // MLIR packs booleans eight to a byte; bytes are simpler to write
      Tensor bytes = Tensor::empty(DType::uint8, tensor.shape());
      for (int64_t i = 0; i < count; ++i) bytes.mutable_data<uint8_t>()[i] = flags[i] ? 1 : 0;
      const Value numbers = literal(bytes);
      return compare("NE", numbers, fill(0, numbers.type));
    }
  } else {
    text = "dense<\"0x";
    append_hex(text, static_cast<const unsigned char*>(tensor.data()), tensor.bytes());
    text += "\">";
  }
  return op("constant", {}, type, format("value = {} : {}", text, type.str()));
}

Value Emitter::fill(double number, const Type& type) {
  if (!is_float_element(type.element)) return fill_int(static_cast<int64_t>(number), type);
  if (type.num_elements() == 0)
    return op("constant", {}, type, format("value = dense<> : {}", type.str()));
  return op("constant", {}, type,
            format("value = dense<{}> : {}", float_bits(number, type.element), type.str()));
}

Value Emitter::fill_int(int64_t number, const Type& type) {
  if (type.num_elements() == 0)
    return op("constant", {}, type, format("value = dense<> : {}", type.str()));
  const std::string text = type.element == "i1"     ? (number != 0 ? "true" : "false")
                           : type.element == "ui64" ? format("{}", static_cast<uint64_t>(number))
                                                    : format("{}", number);
  return op("constant", {}, type, format("value = dense<{}> : {}", text, type.str()));
}

Value Emitter::extreme(bool largest, const Type& type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_float_element(type.element)) return fill(largest ? kInfinity : -kInfinity, type);
  if (type.element == "i1") return fill_int(largest ? 1 : 0, type);
  const bool is_unsigned = type.element[0] == 'u';
  const int bits = std::stoi(type.element.substr(is_unsigned ? 2 : 1));
  if (is_unsigned) {
    if (!largest) return fill_int(0, type);
    return fill_int(bits == 64 ? -1 : (int64_t{1} << bits) - 1, type);
  }
  const int64_t top =
      bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
  return fill_int(largest ? top : -top - 1, type);
}

}  // namespace antler::pjrt
