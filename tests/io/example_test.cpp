#include "antler/io/example.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler::io {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;
using Strings = std::vector<std::string>;

Example example() {
  return {{"f", Floats{1.5F, -2}}, {"i", Integers{-1, 300}}, {"t", Strings{"ab", ""}}};
}

TEST(Example, BytesAreTensorFlows) {
  // As serialized by TensorFlow 2.21, sorted by name.
  const std::string expected(
      "\x0a\x39"
      "\x0a\x11\x0a\x01"
      "f\x12\x0c\x12\x0a\x0a\x08\x00\x00\xc0\x3f\x00\x00\x00\xc0"
      "\x0a\x15\x0a\x01"
      "i\x12\x10\x1a\x0e\x0a\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02"
      "\x0a\x0d\x0a\x01"
      "t\x12\x08\x0a\x06\x0a\x02"
      "ab\x0a\x00",
      59);
  EXPECT_EQ(format_example(example()), expected);
  EXPECT_EQ(parse_example(expected), example());
}

TEST(Example, NumbersMayStandUnpacked) {
  EXPECT_EQ(parse_example(std::string("\x0a\x0f\x0a\x0d\x0a\x01"
                                      "f\x12\x08\x1a\x06\x08\x01\x08\x02\x08\x03",
                                      17)),
            (Example{{"f", Integers{1, 2, 3}}}));
}

TEST(Example, SequenceComesBack) {
  const SequenceExample sequence{
      .context = example(),
      .feature_lists = {{"words", {Strings{"a"}, Strings{"b", "c"}}}, {"none", {}}}};
  const SequenceExample back = parse_sequence_example(format_sequence_example(sequence));
  EXPECT_EQ(back.context, sequence.context);
  EXPECT_EQ(back.feature_lists, sequence.feature_lists);
}

TEST(Example, EveryCutIsRefusedOrGivesLess) {
  const std::string good = format_example(example());
  for (size_t size = 1; size < good.size(); ++size) {
    EXPECT_THROW(parse_example(good.substr(0, size)), IOError) << size;
  }
}

TEST(Example, BecomesTensors) {
  Example e = example();
  e["raw"] = Strings{std::string("\x01\x00\x02\x00", 4)};
  const Nest tensors = decode_example(
      e, {{"f", {.shape = {2}}},
          {"i", {.shape = {1, Shape::kUnknown}, .dtype = DType::int64}},
          {"raw", {.shape = {2}, .dtype = DType::int16}},
          {"absent", {.shape = {}, .default_value = Tensor::full(DType::float32, {}, 7)}}});
  EXPECT_EQ(tensors.at("f").tensor().to_vector<float>(), (Floats{1.5F, -2}));
  EXPECT_EQ(tensors.at("i").tensor().shape(), (Shape{1, 2}));
  EXPECT_EQ(tensors.at("raw").tensor().to_vector<int16_t>(), (std::vector<int16_t>{1, 2}));
  EXPECT_EQ(tensors.at("absent").tensor().item(), 7);
  EXPECT_THROW(decode_example(e, {{"absent", {}}}), ValueError);
  EXPECT_THROW(decode_example(e, {{"f", {.shape = {3}}}}), ValueError);
  EXPECT_THROW(decode_example(e, {{"t", {.shape = {2}}}}), ValueError);
  EXPECT_THROW(decode_example(e, {{"raw", {.shape = {1}, .dtype = DType::float64}}}), ValueError);

  const Nest back =
      Nest::dict({{"x", Tensor::of<float>({1, 2})}, {"y", Tensor::of<bool>({true}, {})}});
  EXPECT_EQ(encode_example(back), (Example{{"x", Floats{1, 2}}, {"y", Integers{1}}}));
  EXPECT_THROW(encode_example(Tensor(1.0)), TypeError);
}

TEST(Example, LaterFeaturesWin) {
  const std::string twice = format_example({{"a", Integers{1}}, {"b", Integers{3}}}) +
                            format_example({{"a", Integers{2}}});
  EXPECT_EQ(parse_example(twice), (Example{{"a", Integers{2}}, {"b", Integers{3}}}));
}

}  // namespace
}  // namespace antler::io
