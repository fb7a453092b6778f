#include "io/pickle.h"

#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler::io::pickle {
namespace {

using namespace std::string_literals;

/// As Python 2 writes a batch of CIFAR: {"labels": [1, 258], "data": uint8 [2, 3]}.
const std::string kBatch =
    "\x80\x02}q\x01(U\x06labelsq\x02]q\x03(K\x01M\x02\x01"
    "eU\x04"
    "dataq\x04"
    "cnumpy.core.multiarray\n_reconstruct\nq\x05"
    "cnumpy\nndarray\nq\x06K\0\x85U\x01"
    "b\x87Rq\x07(K\x01K\x02K\x03\x86"
    "cnumpy\ndtype\nq\x08U\x02u1K\0K\x01\x87Rq\t(K\x03U\x01|"
    "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89U\x06"
    "abcdeftbu."s;

TEST(Pickle, ReadsABatchOfPython2) {
  const Value value = parse(kBatch, "x");
  const auto& dict = as<Dict>(value, "x");
  EXPECT_EQ(as<List>(dict.at("labels"), "x").integers, (std::vector<int64_t>{1, 258}));
  const Tensor& data = as<Array>(dict.at("data"), "x").numbers;
  EXPECT_EQ(data.spec(), (TensorSpec{DType::uint8, {2, 3}}));
  EXPECT_EQ(data.to_vector<uint8_t>(), (std::vector<uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_THROW(dict.at("none"), IOError);
  EXPECT_THROW(as<List>(value, "x"), IOError);
}

TEST(Pickle, ReadsArraysInOtherOrders) {
  // numpy.array([[1.5, 2], [3, 4]], order="F", dtype=">f4") under protocol 4.
  const std::string bytes =
      "\x80\x04\x95\x9b\0\0\0\0\0\0\0\x8c\x16numpy._core.multiarray\x94\x8c\x0c_"
      "reconstruct\x94\x93\x94\x8c\x05"
      "numpy\x94\x8c\x07ndarray\x94\x93\x94K\0\x85\x94"
      "C\x01"
      "b\x94\x87\x94R\x94(K\x01K\x02K\x02\x86\x94h\x03\x8c\x05"
      "dtype\x94\x93\x94\x8c\x02"
      "f4\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01>\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0t\x94"
      "b\x88"
      "C\x10?\xc0\0\0@@\0\0@\0\0\0@\x80\0\0\x94t\x94"
      "b."s;
  const Value value = parse(bytes, "x");
  EXPECT_EQ(as<Array>(value, "x").numbers.to_vector<float>(), (std::vector<float>{1.5F, 2, 3, 4}));
}

TEST(Pickle, KeepsIntegersOfAllSizes) {
  const Value value =
      parse("\x80\x02](J\xfe\xff\xff\xffK\xff\x8a\x01\x80\x8a\x08\0\0\0\0\0\0\0\x40\x8a\0e."s, "x");
  EXPECT_EQ(as<List>(value, "x").integers,
            (std::vector<int64_t>{-2, 255, -128, int64_t{1} << 62, 0}));
  const Value mixed = parse("\x80\x02](K\x01NK\x02G?\xf8\0\0\0\0\0\0e."s, "x");
  const auto& list = as<List>(mixed, "x");
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(std::get<int64_t>(list.at(2)), 2);
  EXPECT_EQ(std::get<double>(list.at(3)), 1.5);
}

TEST(Pickle, RunsNothing) {
  const auto message = [](const std::string& bytes) {
    try {
      parse(bytes, "file");
    } catch (const IOError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("\x80\x02"
                    "cposix\nsystem\n(U\x04"
                    "lstR."s)
                .find("file: the pickle refers to 'posix.system'"),
            std::string::npos);
  EXPECT_NE(message("\x80\x02i."s), "");            // INST
  EXPECT_NE(message("\x80\x02K\x01K\x02R."s), "");  // calls an integer
  EXPECT_NE(message("\x80\x02K\x01K\x02s."s), "");
  EXPECT_NE(message("\x80\x02h\x05."s), "");
  EXPECT_NE(message("\x80\x02t."s), "");
  EXPECT_NE(message("."), "");
}

TEST(Pickle, RefusesWhatHoldsItself) {
  EXPECT_THROW(parse("\x80\x02]q\0h\0a."s, "x"), IOError);
  // a = []; b = [a]; a.append(b)
  EXPECT_THROW(parse("\x80\x02]q\0]q\x01h\0ah\0h\x01"
                     "a."s,
                     "x"),
               IOError);
}

TEST(Pickle, RefusesDeepNesting) {
  const auto nested = [](size_t depth) {
    return "\x80\x02" + std::string(depth, ']') + std::string(depth - 1, 'a') + ".";
  };
  EXPECT_EQ(as<List>(parse(nested(100), "x"), "x").size(), 1U);
  EXPECT_THROW(parse(nested(101), "x"), IOError);
  EXPECT_THROW(parse(nested(1'000'000), "x"), IOError);
}

TEST(Pickle, RefusesWhatIsCutOff) {
  for (size_t size = 0; size < kBatch.size(); ++size) {
    EXPECT_THROW(parse(kBatch.substr(0, size), "x"), IOError) << size;
  }
}

}  // namespace
}  // namespace antler::io::pickle
