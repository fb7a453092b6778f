#include "antler/io/safetensors.h"

#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler::io {
namespace {

Tensor numbers(DType dtype, const Shape& shape) {
  Tensor t = Tensor::zeros(dtype, shape);
  auto* bytes = static_cast<unsigned char*>(t.mutable_data());
  for (size_t i = 0; i < t.bytes(); ++i) bytes[i] = static_cast<unsigned char>(i % 2);
  return t;
}

std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  return bytes + header + data;
}

TEST(Safetensors, EveryDtypeComesBack) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                            DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8,
                            DType::uint16, DType::uint32, DType::uint64, DType::boolean}) {
    const Tensor array = numbers(dtype, {2, 3});
    const NamedTensors back = parse_safetensors(format_safetensors({{"a/b", array}}));
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(back[0].first, "a/b");
    EXPECT_EQ(back[0].second.dtype(), dtype);
    EXPECT_EQ(back[0].second.shape(), array.shape());
    EXPECT_EQ(back[0].second.to_doubles(), array.to_doubles());
  }
}

TEST(Safetensors, OrderEmptyArraysAndScalars) {
  const NamedTensors entries = {{"z", numbers(DType::float32, {})},
                                {"empty", numbers(DType::float32, {0, 4})},
                                {"a", numbers(DType::int64, {3})}};
  const NamedTensors back = parse_safetensors(format_safetensors(entries));
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(back[0].first, "z");
  EXPECT_EQ(back[2].first, "a");
}

TEST(Safetensors, LayoutIsTheFormats) {
  const std::string bytes = file_of(
      R"({"__metadata__":{"by":"someone"},"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      "\5\7");
  const NamedTensors arrays = parse_safetensors(bytes);
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].second.to_doubles(), (std::vector<double>{5, 7}));
}

TEST(Safetensors, EveryCutIsRefused) {
  const std::string good = format_safetensors({{"x", numbers(DType::float32, {3})}});
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_safetensors(good.substr(0, size)), IOError) << size;
  }
  EXPECT_THROW(parse_safetensors(good + "x"), IOError);
}

TEST(Safetensors, HostileHeadersAreRefused) {
  const auto refuses = [](const std::string& header) {
    EXPECT_THROW(parse_safetensors(file_of(header, "12345678")), IOError) << header;
  };
  refuses("[]");
  refuses(R"({"x":{}})");
  refuses(R"({"x":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})");
  refuses(R"({"x":{"dtype":"U8","shape":[8],"data_offsets":[8,0]}})");
  refuses(R"({"x":{"dtype":"U8","shape":[-8],"data_offsets":[0,8]}})");
  refuses(R"({"x":{"dtype":"F64","shape":[4611686018427387905,4],"data_offsets":[0,8]}})");
  refuses(R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})");
  EXPECT_THROW(parse_safetensors(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8)), IOError);
  EXPECT_THROW(parse_safetensors(file_of(
                   R"({"x":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", "12345678")),
               ValueError);
}

TEST(Safetensors, NamesAreUnique) {
  const Tensor x = numbers(DType::float32, {1});
  EXPECT_THROW(format_safetensors({{"x", x}, {"x", x}}), ValueError);
  EXPECT_THROW(format_safetensors({{"__metadata__", x}}), ValueError);
}

}  // namespace
}  // namespace antler::io
