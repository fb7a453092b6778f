#include "antler/io/npy.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::io {
namespace {

/// A .npy file in NumPy's layout, with any dictionary and any data.
std::string npy(const std::string& dictionary, const std::string& data, int major = 1) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
  const std::string text = dictionary + "\n";
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(text.size() >> (8 * i));
  return bytes + text + data;
}

std::string dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

TEST(NpyTest, WritesTheBytesThatNumPyWrites) {
  // numpy.save of numpy.array([[1, 2], [3, 4]], 'uint8'), NumPy 2.4.
  std::string want = std::string("\x93NUMPY\x01\x00v\x00", 10) +
                     "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }";
  want.resize(127, ' ');
  want += "\n\x01\x02\x03\x04";
  EXPECT_EQ(format_npy(Tensor::of<uint8_t>({1, 2, 3, 4}, {2, 2})), want);
}

TEST(NpyTest, DataStartsAtAMultipleOf64) {
  for (int rank = 0; rank < 40; ++rank) {
    const Shape shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
    const std::string bytes = format_npy(Tensor::zeros(DType::float32, shape));
    EXPECT_EQ((bytes.size() - 4) % 64, 0U);
    EXPECT_EQ(parse_npy(bytes).shape(), shape);
  }
}

TEST(NpyTest, ReadsAllVersions) {
  for (const int major : {1, 2, 3}) {
    const Tensor t = parse_npy(npy(dictionary("|i1", "(3,)"), "\x01\x02\xff", major));
    EXPECT_EQ(t.to_vector<int8_t>(), (std::vector<int8_t>{1, 2, -1}));
  }
  EXPECT_THROW(parse_npy(npy(dictionary("|i1", "()"), "\x01", 4)), IOError);
}

TEST(NpyTest, FortranOrderBecomesRowMajor) {
  const Tensor t = parse_npy(npy(dictionary("|u1", "(2, 3)", true), "\x01\x04\x02\x05\x03\x06"));
  EXPECT_EQ(t.to_vector<uint8_t>(), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  // Element (i, j, k) of a [2, 3, 2] array is at index i + 2 j + 6 k.
  std::string bytes;
  for (char i = 0; i < 12; ++i) bytes += i;
  const Tensor cube = parse_npy(npy(dictionary("|u1", "(2, 3, 2)", true), bytes));
  EXPECT_EQ(cube.to_vector<uint8_t>(),
            (std::vector<uint8_t>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

TEST(NpyTest, BigEndianBecomesNative) {
  const Tensor t = parse_npy(npy(dictionary(">i2", "(2,)"), std::string("\x00\x01\xff\xfe", 4)));
  EXPECT_EQ(t.dtype(), DType::int16);
  EXPECT_EQ(t.to_vector<int16_t>(), (std::vector<int16_t>{1, -2}));
}

TEST(NpyTest, VoidOfTwoBytesIsBfloat16) {
  for (const char* code : {"<V2", "|V2"}) {
    const Tensor t = parse_npy(npy(dictionary(code, "(1,)"), std::string("\xc0\x3f", 2)));
    ASSERT_EQ(t.dtype(), DType::bfloat16);
    EXPECT_EQ(t.item(), 1.5);
  }
  EXPECT_NE(format_npy(Tensor::zeros(DType::bfloat16, {1})).find("'<V2'"), std::string::npos);
}

TEST(NpyTest, AnyNonZeroByteIsTrue) {
  const Tensor t = parse_npy(npy(dictionary("|b1", "(3,)"), std::string("\x00\x02\x01", 3)));
  EXPECT_EQ(t.to_vector<bool>(), (std::vector<bool>{false, true, true}));
}

TEST(NpyTest, ReadsWhatPython2Wrote) {
  const Tensor t =
      parse_npy(npy("{'shape': (2L,), \"fortran_order\": False, 'descr': '|u1'}", "\x01\x02"));
  EXPECT_EQ(t.shape(), Shape({2}));
}

TEST(NpyTest, RefusesWhatATensorCannotHold) {
  for (const char* code :
       {"<U5", "|S3", "|O", "<c8", "<f16", ">V2", "<M8[ns]", "", "<", "f", "|V3"}) {
    EXPECT_THROW(parse_npy(npy(dictionary(code, "(0,)"), "")), ValueError) << code;
  }
  EXPECT_THROW(
      parse_npy(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }", "")),
      ValueError);
}

TEST(NpyTest, RefusesCorruptHeaders) {
  const std::string good = dictionary("|u1", "(2,)");
  const std::vector<std::string> bad = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr'",
      "{'descr': '|u1}",
      "{'descr': '|u1', 'fortran_order': Maybe, 'shape': (2,), }",
      "{'descr': '|u1', 'fortran_order': False, }",
      "{'descr': '|u1', 'fortran_order': False, 'shape': 2, }",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (-2,), }",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2, }",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2.0,), }",
      "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2,), }",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'extra': 1, }",
      "{'descr': '|u1' 'fortran_order': False, 'shape': (2,), }",
      good + "x",
      dictionary("|u1", "(99999999999999999999,)"),
      dictionary("<f8", "(4611686018427387904, 4611686018427387904)"),
      dictionary("<f8", "(4611686018427387904, 0, 4611686018427387904)"),
  };
  for (const std::string& text : bad) {
    EXPECT_THROW(parse_npy(npy(text, "\x01\x02")), IOError) << text;
  }
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1, ";
  EXPECT_THROW(parse_npy(npy(dictionary("|u1", shape + ")"), "\x01")), IOError);
}

TEST(NpyTest, RefusesEveryLengthButTheRightOne) {
  const std::string good = format_npy(Tensor::of<float>({1, 2, 3}));
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_THROW(parse_npy(good.substr(0, n)), IOError) << n;
  }
  EXPECT_THROW(parse_npy(good + "x"), IOError);
  EXPECT_EQ(parse_npy(good).size(), 3);
}

TEST(NpyTest, SavesAndLoadsAFile) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_npy_test.npy").string();
  const Tensor t = Tensor::of<double>({1, 2, 3, 4, 5, 6}, {3, 2});
  save_npy(path, t);
  const Tensor loaded = load_npy(path);
  EXPECT_EQ(loaded.spec(), t.spec());
  EXPECT_EQ(loaded.to_doubles(), t.to_doubles());
  std::filesystem::remove(path);
  EXPECT_THROW(load_npy(path), NotFoundError);
  EXPECT_THROW(load_npy(std::filesystem::temp_directory_path().string()), IOError);
}

}  // namespace
}  // namespace antler::io
