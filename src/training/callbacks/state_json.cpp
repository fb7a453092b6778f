#include "training/callbacks/state_json.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "antler/base/error.h"
#include "training/callbacks/python_format.h"

namespace antler::training {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encode(const unsigned char* bytes, size_t size) {
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (size_t at = 0; at < size; at += 3) {
    const size_t count = std::min<size_t>(3, size - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[at + i] : 0U);
    for (size_t i = 0; i < 4; ++i)
      text += i <= count ? kAlphabet[group >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

std::array<uint8_t, 256> decoding_table() {
  std::array<uint8_t, 256> table;
  table.fill(255);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return table;
}

void decode(std::string_view text, unsigned char* bytes, size_t size) {
  static const std::array<uint8_t, 256> table = decoding_table();
  if (text.size() != (size + 2) / 3 * 4)
    throw ValueError(
        "The data of a saved tensor do not have the size of its shape. Received: {} characters",
        text.size());
  size_t done = 0;
  for (size_t at = 0; at < text.size(); at += 4) {
    uint32_t group = 0;
    for (size_t i = 0; i < 4; ++i) {
      const char c = text[at + i];
      const uint8_t value = c == '=' ? 0 : table[static_cast<unsigned char>(c)];
      if (value == 255) throw ValueError("The data of a saved tensor are not in base 64.");
      group = group << 6 | value;
    }
    for (size_t i = 0; i < 3 && done < size; ++i)
      bytes[done++] = static_cast<unsigned char>(group >> (16 - 8 * i) & 255U);
  }
}

}  // namespace

Json to_json(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (!std::isfinite(*value)) return python_repr(*value);
  return *value;
}

std::optional<double> number_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "-inf" ? -infinity : infinity;
}

Json to_json(const Tensor& tensor) {
  return {{"dtype", dtype_name(tensor.dtype())},
          {"shape", tensor.shape().dims()},
          {"data", encode(static_cast<const unsigned char*>(tensor.data()), tensor.bytes())}};
}

Json to_json(const Tensors& tensors) {
  Json list = Json::array();
  for (const Tensor& tensor : tensors) list.push_back(to_json(tensor));
  return list;
}

Tensor tensor_from_json(const Json& json) {
  try {
    const Tensor tensor = Tensor::empty(parse_dtype(json.at("dtype").get<std::string>()),
                                        Shape(json.at("shape").get<std::vector<int64_t>>()));
    decode(json.at("data").get<std::string>(), static_cast<unsigned char*>(tensor.mutable_data()),
           tensor.bytes());
    return tensor;
  } catch (const Json::exception& error) {
    throw ValueError("Not a saved tensor: {}", error.what());
  }
}

Tensors tensors_from_json(const Json& json) {
  Tensors tensors;
  for (const Json& item : json) tensors.push_back(tensor_from_json(item));
  return tensors;
}

}  // namespace antler::training
