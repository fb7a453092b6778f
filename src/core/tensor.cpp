#include "antler/core/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/core/string_handles.h"

namespace antler {
namespace {

constexpr size_t kAlignment = 64;

Tensor scalar(DType dtype, bool weak, double value, int64_t integer) {
  Tensor t = Tensor::empty(dtype, {});
  t.impl()->weak = weak;
  t.impl()->number = value;
  dispatch(dtype, [&]<class T>() {
    T* p = static_cast<T*>(t.mutable_data());
    if constexpr (std::is_same_v<T, bool>)
      *p = integer != 0;
    else if constexpr (std::is_integral_v<T>)
      *p = static_cast<T>(integer);
    else
      *p = static_cast<T>(static_cast<ComputeType<T>>(value));
  });
  return t;
}

}  // namespace

uint64_t next_unique_id() {
  static std::atomic<uint64_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

Buffer::Buffer(void* data, size_t bytes, std::shared_ptr<void> owner, bool owned)
    : data_(data), bytes_(bytes), owner_(std::move(owner)), owned_(owned) {}

Buffer::~Buffer() {
  if (owned_) std::free(data_);
}

std::shared_ptr<Buffer> Buffer::allocate(size_t bytes) {
  const size_t rounded = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) {
    throw RuntimeError("Out of memory: could not allocate {} bytes for a tensor.", bytes);
  }
  return std::shared_ptr<Buffer>(new Buffer(data, bytes, nullptr, true));
}

std::shared_ptr<Buffer> Buffer::borrow(void* data, size_t bytes, std::shared_ptr<void> owner) {
  return std::shared_ptr<Buffer>(new Buffer(data, bytes, std::move(owner), false));
}

Tensor::Tensor(double value) : Tensor(scalar(default_float(), true, value, 0)) {}
Tensor::Tensor(float value) : Tensor(static_cast<double>(value)) {}
Tensor::Tensor(int value) : Tensor(scalar(DType::int32, true, value, value)) {}
Tensor::Tensor(int64_t value)
    : Tensor(scalar(value == static_cast<int32_t>(value) ? DType::int32 : DType::int64, true, 0,
                    value)) {}

Tensor Tensor::truth(bool value) { return Tensor(scalar(DType::boolean, true, 0, value ? 1 : 0)); }

Tensor Tensor::of_parts(const std::vector<Tensor>& parts) {
  if (parts.empty()) throw ValueError("Cannot make a tensor without rows.");
  const TensorSpec& part = parts[0].spec();
  std::vector<int64_t> dims = part.shape.dims();
  dims.insert(dims.begin(), static_cast<int64_t>(parts.size()));
  Tensor result = empty(part.dtype, Shape(dims));
  auto* to = static_cast<std::byte*>(result.mutable_data());
  for (const Tensor& row : parts) {
    if (!(row.spec() == part)) {
      throw ValueError(
          "Cannot make a tensor of rows of different lengths. Received shapes {} and {}.",
          part.shape, row.shape());
    }
    std::memcpy(to, row.data(), row.bytes());
    to += row.bytes();
  }
  return result;
}

Tensor Tensor::from_buffer(TensorSpec spec, std::shared_ptr<Buffer> buffer) {
  const size_t need = static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
  if (buffer->bytes() < need) {
    throw ValueError("Buffer too small for a tensor of shape {}: expected {} bytes, received {}.",
                     spec.shape, need, buffer->bytes());
  }
  auto impl = std::make_shared<TensorImpl>();
  impl->dtype = spec.dtype;
  impl->shape = std::move(spec.shape);
  impl->buffer = std::move(buffer);
  impl->id = next_unique_id();
  return Tensor(std::move(impl));
}

Tensor Tensor::empty(DType dtype, const Shape& shape) {
  if (!shape.is_known()) {
    throw ValueError("The shape of an array must be fully known. Received: {}", shape);
  }
  const size_t bytes = static_cast<size_t>(shape.num_elements()) * dtype_size(dtype);
  return from_buffer({dtype, shape}, Buffer::allocate(bytes));
}

Tensor Tensor::spec_only(TensorSpec spec) {
  auto impl = std::make_shared<TensorImpl>();
  impl->dtype = spec.dtype;
  impl->shape = std::move(spec.shape);
  impl->id = next_unique_id();
  return Tensor(std::move(impl));
}

Tensor Tensor::zeros(DType dtype, const Shape& shape) {
  Tensor t = empty(dtype, shape);
  std::memset(t.mutable_data(), 0, t.bytes());
  return t;
}

Tensor Tensor::full(DType dtype, const Shape& shape, double value) {
  Tensor t = empty(dtype, shape);
  dispatch(dtype, [&]<class T>() {
    T element;
    if constexpr (std::is_same_v<T, bool>)
      element = value != 0;
    else
      element = static_cast<T>(static_cast<ComputeType<T>>(value));
    T* p = static_cast<T*>(t.mutable_data());
    std::fill(p, p + t.size(), element);
  });
  return t;
}

template <class T>
Tensor Tensor::of(const std::vector<T>& values, const Shape& shape) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) {
    throw ValueError("Cannot make a tensor of shape {} from {} values.", shape, values.size());
  }
  Tensor t = empty(dtype_of<T>(), shape);
  T* p = static_cast<T*>(t.mutable_data());
  std::copy(values.begin(), values.end(), p);
  return t;
}

const void* Tensor::data() const { return mutable_data(); }

void* Tensor::mutable_data() const {
  if (!is_value()) {
    throw RuntimeError("The tensor has no elements: it {}.",
                       !impl_             ? "is undefined"
                       : is_traced()      ? "is part of a function that is being traced"
                       : is_placeholder() ? "is a placeholder of a functional model"
                                          : "only has a dtype and a shape");
  }
  return impl_->buffer->data();
}

template <class T>
T* Tensor::mutable_data() const {
  void* p = mutable_data();
  if (dtype() != dtype_of<T>()) {
    throw TypeError("Elements are {}, not {}.", dtype_name(dtype()), dtype_name(dtype_of<T>()));
  }
  return static_cast<T*>(p);
}

template <class T>
const T* Tensor::data() const {
  return mutable_data<T>();
}

#define ANTLER_INSTANTIATE(T)                                         \
  template Tensor Tensor::of<T>(const std::vector<T>&, const Shape&); \
  template const T* Tensor::data<T>() const;                          \
  template T* Tensor::mutable_data<T>() const;
ANTLER_INSTANTIATE(float)
ANTLER_INSTANTIATE(double)
ANTLER_INSTANTIATE(bfloat16)
ANTLER_INSTANTIATE(float16)
ANTLER_INSTANTIATE(int8_t)
ANTLER_INSTANTIATE(int16_t)
ANTLER_INSTANTIATE(int32_t)
ANTLER_INSTANTIATE(int64_t)
ANTLER_INSTANTIATE(uint8_t)
ANTLER_INSTANTIATE(uint16_t)
ANTLER_INSTANTIATE(uint32_t)
ANTLER_INSTANTIATE(uint64_t)
ANTLER_INSTANTIATE(bool)
#undef ANTLER_INSTANTIATE

std::vector<double> Tensor::to_doubles() const {
  std::vector<double> result(static_cast<size_t>(size()));
  const void* bytes = data();
  dispatch(dtype(), [&]<class T>() {
    const T* p = static_cast<const T*>(bytes);
    for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<double>(p[i]);
  });
  return result;
}

double Tensor::item() const {
  if (size() != 1)
    throw ValueError("item() needs a tensor of one element. Received shape {}.", shape());
  return to_doubles()[0];
}

bool Tensor::truth_value() const {
  if (!defined() || size() != 1) {
    throw ValueError(
        "The truth value of a tensor is that of its only element; use ops::any or ops::all for "
        "several, and defined() to ask whether there is a tensor. Received: {}.",
        str());
  }
  return item() != 0;
}

std::string Tensor::str() const {
  if (!defined()) return "Tensor(undefined)";
  std::string values;
  if (holds_strings(*this)) {
    if (size() <= 16) values = fmt::format(", values=['{}']", fmt::join(strings(), "', '"));
    return fmt::format("Tensor(string, shape={}{})", shape().str(), values);
  }
  if (is_value() && size() <= 16) {
    values = fmt::format(", values=[{:.6g}]", fmt::join(to_doubles(), ", "));
  }
  return fmt::format("Tensor({}, shape={}{})", dtype_name(dtype()), shape().str(), values);
}

}  // namespace antler
