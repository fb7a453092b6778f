#pragma once

#include <string>
#include <vector>

#include "antler/core/string_handles.h"
#include "io/tf_data_type.h"
#include "io/tf_tensor.h"
#include "io/wire.h"
#include "saving/export/graph_sink.h"

namespace antler::saving {

/// TensorFlow's TensorShapeProto; dynamic dimensions are -1.
io::WireWriter shape_proto(const Dims& dims);
/// An entry of a map from strings to messages, or to strings.
io::WireWriter map_entry(const std::string& key, const io::WireWriter& value);
io::WireWriter map_entry(const std::string& key, const std::string& value);

/// The attributes of a node of a TensorFlow graph.
class TfAttributes {
 public:
  /// `has_strings`: the dtype of string handles is written as TensorFlow's dtype of strings.
  explicit TfAttributes(bool has_strings = false) : has_strings_(has_strings) {}
  TfAttributes& type(const char* name, DType dtype) {
    if (has_strings_ && dtype == kStringDType) return string_type(name);
    return type_number(name, io::tf_data_type(dtype));
  }
  TfAttributes& types(const char* name, const std::vector<DType>& dtypes) {
    std::vector<int64_t> numbers;
    numbers.reserve(dtypes.size());
    for (const DType dtype : dtypes) numbers.push_back(io::tf_data_type(dtype));
    return type_numbers(name, numbers);
  }
  /// The same, by TensorFlow's numbers.
  TfAttributes& type_numbers(const char* name, const std::vector<int64_t>& numbers) {
    io::WireWriter list;
    list.packed(6, numbers);
    io::WireWriter value;
    value.message(1, list);
    return add(name, value);
  }
  /// A function of the graph's library.
  TfAttributes& function(const char* name, const std::string& function) {
    io::WireWriter call;
    call.bytes(1, function);
    io::WireWriter value;
    value.message(10, call);
    return add(name, value);
  }
  /// A dtype by TensorFlow's number.
  TfAttributes& type_number(const char* name, int64_t number) {
    io::WireWriter value;
    value.integer(6, number);
    return add(name, value);
  }
  /// The dtype of strings.
  TfAttributes& string_type(const char* name) { return type_number(name, io::kTfString); }
  TfAttributes& integer(const char* name, int64_t number) {
    io::WireWriter value;
    value.integer(3, number);
    return add(name, value);
  }
  TfAttributes& flag(const char* name, bool on) {
    io::WireWriter value;
    value.boolean(5, on);
    return add(name, value);
  }
  TfAttributes& text(const char* name, const char* bytes) {
    io::WireWriter value;
    value.bytes(2, bytes);
    return add(name, value);
  }
  TfAttributes& ints(const char* name, const std::vector<int64_t>& numbers) {
    io::WireWriter list;
    list.packed(3, numbers);
    io::WireWriter value;
    value.message(1, list);
    return add(name, value);
  }
  TfAttributes& shape(const char* name, const Dims& dims) {
    io::WireWriter value;
    value.message(7, shape_proto(dims));
    return add(name, value);
  }
  TfAttributes& shapes(const char* name, const std::vector<Dims>& all) {
    io::WireWriter list;
    for (const Dims& dims : all) list.message(7, shape_proto(dims));
    io::WireWriter value;
    value.message(1, list);
    return add(name, value);
  }
  /// An array of numbers or of strings.
  template <class Array>
  TfAttributes& tensor(const char* name, const Array& array) {
    io::WireWriter value;
    value.message(8, io::tensor_message(array));
    return add(name, value);
  }
  /// An array of zeros, which takes no space.
  TfAttributes& zeros(const char* name, DType dtype, const Shape& shape) {
    io::WireWriter proto;
    proto.integer(1, io::tf_data_type(dtype));
    proto.message(2, io::shape_message(shape));
    io::WireWriter value;
    value.message(8, proto);
    return add(name, value);
  }
  const io::WireWriter& fields() const { return fields_; }

 private:
  TfAttributes& add(const char* name, const io::WireWriter& value) {
    fields_.message(5, map_entry(name, value));
    return *this;
  }
  bool has_strings_;
  io::WireWriter fields_;
};

}  // namespace antler::saving
