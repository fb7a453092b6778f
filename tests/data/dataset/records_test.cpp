#include "antler/data/record_datasets.h"

#include <zlib.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tfrecord.h"

namespace antler::data {
namespace {

std::string write_records(const std::string& name, int start, int count) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) / name).string();
  io::TFRecordWriter writer(path);
  for (int i = start; i < start + count; ++i) {
    writer.write(io::format_example(io::encode_example(Nest::dict(
        {{"x", Tensor::of<float>({1.0F * static_cast<float>(i), 0.5F})}, {"y", Tensor(i)}}))));
  }
  return path;
}

TEST(RecordDatasets, ExamplesOfSeveralFilesInEachPass) {
  const std::string first = write_records("first.tfrecord", 0, 3);
  const std::string second = write_records("second.tfrecord", 3, 2);
  // The same records through gzip.
  const std::string zipped = first + ".gz";
  gzFile gz = gzopen(zipped.c_str(), "wb");
  const std::string bytes = read_file(first);
  gzwrite(gz, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(gz);

  const Dataset rows = from_examples({first, zipped, second},
                                     {{"x", {.shape = {2}}}, {"y", {.dtype = DType::int64}}});
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<int64_t> y;
    for (const Nest& row : rows.batch(4)) {
      const std::vector<int64_t> part = row.at("y").tensor().to_vector<int64_t>();
      y.insert(y.end(), part.begin(), part.end());
      EXPECT_EQ(row.at("x").tensor().shape(), (Shape{static_cast<int64_t>(part.size()), 2}));
    }
    EXPECT_EQ(y, (std::vector<int64_t>{0, 1, 2, 0, 1, 2, 3, 4}));
  }
  EXPECT_THROW(from_examples({}, {}), ValueError);
  const Dataset absent =
      from_tfrecords({"/nowhere/x.tfrecord"}, [](std::string_view) { return Nest(); });
  EXPECT_THROW(absent.begin(), NotFoundError);
}

}  // namespace
}  // namespace antler::data
