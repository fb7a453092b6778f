#include "antler/io/tar.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "support/tar_archive.h"

namespace antler::io {
namespace {

using test::tar_archive;
using test::tar_entry;

std::vector<std::string> names(const TarReader& tar) {
  std::vector<std::string> names;
  for (const auto& entry : tar.entries()) names.push_back(entry.name);
  return names;
}

TEST(Tar, FilesOfAllKindsOfArchive) {
  const std::string long_name = "folder/" + std::string(150, 'n') + "/file";
  // "<length of the record> path=<name>\n"
  const std::string path_record =
      std::to_string(10 + long_name.size()) + " path=" + long_name + "\n";
  const std::string bytes = tar_archive(
      {tar_entry("./a.txt", "first"), tar_entry("folder/", "", '5'), tar_entry("link", "", '2'),
       tar_entry("folder/empty", ""), tar_entry("@LongLink", std::string(120, 'g') + '\0', 'L'),
       tar_entry("cut", std::string(1000, 'x')),
       tar_entry("pax", "23 comment=hello world\n" + path_record, 'x'), tar_entry("cut", "pax's"),
       tar_entry("last", "end")});
  const TarReader tar = TarReader::parse(bytes);
  EXPECT_EQ(names(tar), (std::vector<std::string>{"a.txt", "folder/empty", std::string(120, 'g'),
                                                  long_name, "last"}));
  EXPECT_EQ(tar.read(0), "first");
  EXPECT_EQ(tar.read(1), "");
  EXPECT_EQ(tar.read(2), std::string(1000, 'x'));
  EXPECT_EQ(tar.read(3), "pax's");
  EXPECT_EQ(tar.read(4), "end");
  EXPECT_THROW(tar.read(5), IndexError);

  // The same from a file, plain and compressed.
  const auto path = std::filesystem::temp_directory_path() / "antler_tar_test";
  write_file_atomically(path.string(), bytes);
  const TarReader file = TarReader::open(path.string());
  EXPECT_EQ(names(file), names(tar));
  EXPECT_EQ(file.read(3), "pax's");
  const gzFile zipped = gzopen(path.c_str(), "wb");
  gzwrite(zipped, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(zipped);
  EXPECT_EQ(TarReader::open(path.string()).read(2), std::string(1000, 'x'));
  EXPECT_THROW(TarReader::open(path.string(), {.max_bytes = 2000}), IOError);
  std::filesystem::remove(path);
  EXPECT_THROW(TarReader::open(path.string()), NotFoundError);
}

TEST(Tar, DamageIsAnError) {
  const std::string bytes = tar_archive({tar_entry("a", "12345"), tar_entry("b", "67890")});
  for (const size_t size :
       {size_t{0}, size_t{100}, size_t{512}, size_t{515}, size_t{1030}, size_t{1536}}) {
    EXPECT_THROW(TarReader::parse(bytes.substr(0, size)), IOError) << size;
  }
  std::string sum = bytes;
  sum[1024] = 'c';  // the second name, without its checksum
  EXPECT_THROW(TarReader::parse(sum), IOError);
  EXPECT_THROW(TarReader::parse(std::string(2000, 'x')), IOError);
  // Impossible sizes: octal beyond the end, and 2^63 in GNU's form.
  EXPECT_THROW(TarReader::parse(tar_archive({tar_entry("a", "", '0', "77777777777")})), IOError);
  EXPECT_THROW(TarReader::parse(tar_archive(
                   {tar_entry("a", "", '0', std::string("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12))})),
               IOError);
  for (const char* pax :
       {"5 a=", "999 path=x\n", "0 path=x\n", "x", "12 size=abc\n", "8 path \n"}) {
    EXPECT_THROW(TarReader::parse(tar_archive({tar_entry("p", pax, 'x'), tar_entry("a", "")})),
                 IOError)
        << pax;
  }
}

}  // namespace
}  // namespace antler::io
