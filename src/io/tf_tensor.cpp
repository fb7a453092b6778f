#include "io/tf_tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "io/tf_data_type.h"

namespace antler::io {
namespace {

/// The largest number of elements of a tensor that is stored as fewer values.
constexpr int64_t kMaxFilled = int64_t{1} << 26;
constexpr size_t kMaxDims = 254;

/// The values of a TensorProto.
struct Numbers {
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
  std::vector<int64_t> halves;  // bits

  size_t count() const { return floats.size() + doubles.size() + integers.size() + halves.size(); }
};

template <class T>
T number_at(const Numbers& numbers, size_t i) {
  if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
    return std::bit_cast<T>(static_cast<uint16_t>(numbers.halves[i]));
  } else if constexpr (std::is_same_v<T, float>) {
    return numbers.floats[i];
  } else if constexpr (std::is_same_v<T, double>) {
    return numbers.doubles[i];
  } else {
    return static_cast<T>(numbers.integers[i]);
  }
}

size_t count_for(DType dtype, const Numbers& numbers) {
  switch (dtype) {
    case DType::float32:
      return numbers.floats.size();
    case DType::float64:
      return numbers.doubles.size();
    case DType::bfloat16:
    case DType::float16:
      return numbers.halves.size();
    default:
      return numbers.integers.size();
  }
}

/// The last number is repeated for the missing elements; no numbers at all mean zeros.
Tensor filled(DType dtype, const Shape& shape, const Numbers& numbers, const char* what) {
  const size_t given = count_for(dtype, numbers);
  const auto size = static_cast<size_t>(shape.num_elements());
  if (given != numbers.count() || given > size) {
    throw IOError("{} is corrupt: a tensor of shape {} has {} numbers.", what, shape,
                  numbers.count());
  }
  Tensor tensor = Tensor::zeros(dtype, shape);
  if (given == 0) return tensor;
  dispatch(dtype, [&]<class T>() {
    T* to = tensor.mutable_data<T>();
    for (size_t i = 0; i < size; ++i) to[i] = number_at<T>(numbers, std::min(i, given - 1));
  });
  return tensor;
}

/// Throws unless the sizes are known and their product is at most `limit`.
void check_size(const Shape& shape, int64_t limit, const char* what) {
  int64_t size = 1;
  for (const int64_t n : shape) {
    if (n < 0 || (n > 0 && size > limit / n)) {
      throw IOError("{} is corrupt: a tensor has shape {}.", what, shape);
    }
    size *= n;
  }
}

}  // namespace

Shape parse_shape(WireReader reader, const char* what) {
  std::vector<int64_t> sizes;
  while (reader.next()) {
    if (reader.field() != 2) continue;
    int64_t size = 0;
    for (WireReader dim = reader.message(); dim.next();) {
      if (dim.field() == 1) size = dim.integer();
    }
    if (sizes.size() == kMaxDims) {
      throw IOError("{} is corrupt: a shape has too many dimensions.", what);
    }
    sizes.push_back(size < 0 ? Shape::kUnknown : size);
  }
  return Shape(sizes);
}

WireWriter shape_message(const Shape& shape) {
  WireWriter message;
  for (const int64_t size : shape) {
    WireWriter dim;
    dim.integer(1, size);
    message.message(2, dim);
  }
  return message;
}

std::optional<Tensor> parse_tensor(WireReader reader, const char* what) {
  int64_t type = 0;
  Shape shape;
  std::string_view content;
  Numbers numbers;
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        type = reader.integer();
        break;
      case 2:
        shape = parse_shape(reader.message(), what);
        break;
      case 4:
        content = reader.bytes();
        break;
      case 5:
        reader.append(numbers.floats);
        break;
      case 6:
        reader.append(numbers.doubles);
        break;
      case 7:   // int32 and narrower
      case 10:  // int64
      case 11:  // bool
      case 16:  // uint32
      case 17:  // uint64
        reader.append(numbers.integers);
        break;
      case 13:
        reader.append(numbers.halves);
        break;
      default:
        break;
    }
  }
  const std::optional<DType> dtype = dtype_of_tf(type);
  if (!dtype) return std::nullopt;
  if (content.empty()) {
    check_size(shape, kMaxFilled, what);
    return filled(*dtype, shape, numbers, what);
  }
  check_size(shape, static_cast<int64_t>(content.size()), what);
  Tensor tensor = Tensor::empty(*dtype, shape);
  if (content.size() != tensor.bytes()) {
    throw IOError("{} is corrupt: a tensor of shape {} has {} bytes.", what, shape, content.size());
  }
  std::memcpy(tensor.mutable_data(), content.data(), content.size());
  return tensor;
}

std::optional<StringTensor> parse_string_tensor(WireReader reader, const char* what) {
  int64_t type = 0;
  StringTensor strings;
  while (reader.next()) {
    if (reader.field() == 1) type = reader.integer();
    if (reader.field() == 2) strings.shape = parse_shape(reader.message(), what);
    if (reader.field() == 8) strings.values.push_back(reader.string());
  }
  if (type != kTfString) return std::nullopt;
  check_size(strings.shape, std::ssize(strings.values), what);
  if (strings.shape.num_elements() != std::ssize(strings.values)) {
    throw IOError("{} is corrupt: a tensor of shape {} has {} strings.", what, strings.shape,
                  strings.values.size());
  }
  return strings;
}

WireWriter tensor_message(const Tensor& array) {
  WireWriter message;
  message.integer(1, tf_data_type(array.dtype()));
  message.message(2, shape_message(array.shape()));
  message.bytes(4, {static_cast<const char*>(array.data()), array.bytes()});
  return message;
}

WireWriter tensor_message(const StringTensor& array) {
  WireWriter message;
  message.integer(1, kTfString);
  message.message(2, shape_message(array.shape));
  for (const std::string& value : array.values) message.bytes(8, value);
  return message;
}

}  // namespace antler::io
