#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/philox.h"
#include "antler/io/idx.h"
#include "antler/io/image.h"
#include "antler/io/npy.h"
#include "antler/io/tar.h"
#include "support/paths.h"
#include "support/tar_archive.h"

// Readers of corrupt files must return arrays or throw IOError or ValueError, whatever the bytes.
// The corruption is the same in each run; tests/fuzz searches further.

namespace antler::io {
namespace {

constexpr uint32_t kRounds = 4000;

/// A number below `bound`.
class Random {
 public:
  explicit Random(uint32_t round) : round_(round) {}
  size_t below(size_t bound) { return philox({draw_++, round_, 0, 0}, {1, 2})[0] % bound; }

 private:
  uint32_t round_;
  uint32_t draw_ = 0;
};

std::string damaged(std::string bytes, Random random) {
  // Values that often break the parsing of lengths, signs and characters.
  constexpr std::array<unsigned char, 10> kBytes = {0x00, 0x01, 0x7f, 0x80, 0xff,
                                                    '(',  ',',  '9',  '-',  '\''};
  const size_t changes = 1 + random.below(4);
  for (size_t i = 0; i < changes && !bytes.empty(); ++i) {
    const size_t at = random.below(bytes.size());
    const size_t length = std::min(1 + random.below(8), bytes.size() - at);
    switch (random.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(kBytes[random.below(kBytes.size())]);
        break;
      case 2:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), length));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

struct Counts {
  int read = 0;
  int refused = 0;
};

Counts read_damaged(const std::vector<std::string>& files,
                    const std::function<void(const std::string&)>& read) {
  Counts counts;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const std::string bytes = damaged(files[round % files.size()], Random(round));
    try {
      read(bytes);
      ++counts.read;
    } catch (const IOError&) {
      ++counts.refused;
    } catch (const ValueError&) {
      ++counts.refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "round " << round << ": " << error.what();
    }
  }
  return counts;
}

/// Reads all bytes of an array, so that a sanitizer detects one that is too short.
void use(const Tensor& t) {
  const auto* bytes = static_cast<const unsigned char*>(t.data());
  unsigned sum = 0;
  for (size_t i = 0; i < t.bytes(); ++i) sum += bytes[i];
  EXPECT_LT(sum, 1U << 31);
}

std::string read_back(const NamedTensors& entries, bool compressed) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_damage_test.npz").string();
  save_npz(path, entries, {.compressed = compressed});
  std::string bytes = read_file(path);
  std::filesystem::remove(path);
  return bytes;
}

TEST(DamageTest, Npy) {
  std::string fortran = format_npy(Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
  fortran.replace(fortran.find("False,"), 6, "True, ");
  std::string big = format_npy(Tensor::of<int64_t>({1, 2, 3}, {3, 1}));
  big[big.find('<')] = '>';
  const Counts counts = read_damaged({fortran, big, format_npy(Tensor::of<bool>({true, false}))},
                                     [](const std::string& bytes) { use(parse_npy(bytes)); });
  EXPECT_GT(counts.read, 20);
  EXPECT_GT(counts.refused, 1000);
}

TEST(DamageTest, Npz) {
  const NamedTensors entries = {{"a", Tensor::of<float>({1, 2, 3})},
                                {"b/c", Tensor::zeros(DType::int32, {50, 2})}};
  const Counts counts = read_damaged({read_back(entries, false), read_back(entries, true)},
                                     [](const std::string& bytes) {
                                       for (const auto& [name, tensor] : parse_npz(bytes))
                                         use(tensor);
                                     });
  EXPECT_GT(counts.read, 20);
  EXPECT_GT(counts.refused, 1000);
}

TEST(DamageTest, Idx) {
  const std::string plain("\0\0\x0d\x02\0\0\0\x02\0\0\0\x01\x3f\x80\0\0\x3f\x80\0\0", 20);
  // The same, compressed.
  const std::string gzip(
      "\037\213\010\000\000\000\000\000\002\377\143\140\340\145\142\140\140\000\141\106\373\006\006"
      "\006\020\006\000\375\075\343\302\024\000\000\000",
      35);
  EXPECT_EQ(parse_idx(gzip).to_doubles(), parse_idx(plain).to_doubles());
  const Counts counts =
      read_damaged({plain, gzip}, [](const std::string& bytes) { use(parse_idx(bytes)); });
  EXPECT_GT(counts.read, 20);
  EXPECT_GT(counts.refused, 1000);
}

TEST(DamageTest, Images) {
  std::vector<std::string> files;
  for (const char* name :
       {"rgb.jpg", "progressive.jpg", "palette.png", "palette.bmp", "animated.gif"}) {
    files.push_back(read_file((test::data_dir() / "images" / name).string()));
  }
  const Counts counts = read_damaged(files, [](const std::string& bytes) {
    use(decode_image(bytes, {.expand_animations = true, .max_pixels = 1 << 16}));
  });
  EXPECT_GT(counts.read, 20);
  EXPECT_GT(counts.refused, 1000);
}

TEST(DamageTest, Tar) {
  const std::string name(120, 'n');
  const std::string pax = std::to_string(10 + name.size()) + " path=" + name + "\n";
  const Counts counts = read_damaged(
      {test::tar_archive({test::tar_entry("a", "1234"), test::tar_entry("b", "")}),
       test::tar_archive({test::tar_entry("x", pax, 'x'), test::tar_entry("b", "5")}),
       test::tar_archive({test::tar_entry("@", name, 'L'), test::tar_entry("b", "5")})},
      [](const std::string& bytes) {
        const TarReader tar = TarReader::parse(bytes);
        for (size_t i = 0; i < tar.entries().size(); ++i) (void)tar.read(i);
      });
  EXPECT_GT(counts.read, 20);
  EXPECT_GT(counts.refused, 1000);
}

}  // namespace
}  // namespace antler::io
