#include <filesystem>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/data/directory_datasets.h"
#include "io/little_endian.h"

namespace antler::data {
namespace {

namespace fs = std::filesystem;

std::string wav_of(const std::vector<int16_t>& samples, uint32_t rate) {
  std::string data;
  for (const int16_t s : samples) io::append_little_endian(data, s);
  std::string out = "RIFF";
  io::append_little_endian(out, static_cast<uint32_t>(36 + data.size()));
  out += "WAVEfmt ";
  io::append_little_endian(out, uint32_t{16});
  io::append_little_endian(out, uint16_t{1});
  io::append_little_endian(out, uint16_t{1});
  io::append_little_endian(out, rate);
  io::append_little_endian(out, 2 * rate);
  io::append_little_endian(out, uint16_t{2});
  io::append_little_endian(out, uint16_t{16});
  out += "data";
  io::append_little_endian(out, static_cast<uint32_t>(data.size()));
  return out + data;
}

class AudioDatasets : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() /
            (std::string("antler_audio_") +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    put("high/a.wav", {16384, 0, -16384}, 8000);
    put("low/b.WAV", {8192}, 8000);
    put("low/c.wav", {4096, 4096}, 8000);
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& name, const std::vector<int16_t>& samples, uint32_t rate) {
    fs::create_directories((root_ / name).parent_path());
    write_file_atomically((root_ / name).string(), wav_of(samples, rate));
  }
  fs::path root_;
};

TEST_F(AudioDatasets, PadToTheLongestOfTheBatch) {
  const DirectoryDataset sounds =
      audio_dataset_from_directory(root_.string(), {.batch_size = 2, .shuffle = false});
  EXPECT_EQ(sounds.class_names, (std::vector<std::string>{"high", "low"}));
  std::vector<Nest> batches;
  for (const Nest& batch : sounds) batches.push_back(batch);
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0][0].tensor().shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(batches[0][0].tensor().to_doubles(), (std::vector<double>{0.5, 0, -0.5, 0.25, 0, 0}));
  EXPECT_EQ(batches[0][1].tensor().to_doubles(), (std::vector<double>{0, 1}));
  EXPECT_EQ(batches[0][1].tensor().dtype(), DType::int32);
  EXPECT_EQ(batches[1][0].tensor().to_doubles(), (std::vector<double>{0.125, 0.125}));
}

TEST_F(AudioDatasets, LengthRateAndSplit) {
  const DirectoryDataset cut =
      audio_dataset_from_directory(root_.string(), {.labels = std::nullopt,
                                                    .label_mode = "none",
                                                    .sampling_rate = 8000,
                                                    .output_sequence_length = 2,
                                                    .shuffle = false});
  const Nest batch = *cut.begin();
  EXPECT_EQ(batch.tensor().to_doubles(), (std::vector<double>{0.5, 0, 0.25, 0, 0.125, 0.125}));
  const auto [training, validation] =
      audio_datasets_from_directory(root_.string(), {.shuffle = false, .validation_split = 0.34});
  EXPECT_EQ(training.file_paths.size(), 2U);
  EXPECT_EQ(validation.file_paths.size(), 1U);
  const Nest single =
      *audio_dataset_from_directory(root_.string(), {.batch_size = std::nullopt, .shuffle = false})
           .begin();
  EXPECT_EQ(single[0].tensor().shape(), (Shape{3, 1}));
}

TEST_F(AudioDatasets, WhatDoesNotFitIsNamed) {
  const auto first = [&](const AudioDatasetOptions& options) {
    return *audio_dataset_from_directory(root_.string(), options).begin();
  };
  EXPECT_THROW(first({.sampling_rate = 16000}), NotImplementedError);
  EXPECT_THROW(first({.sampling_rate = -1}), ValueError);
  write_file_atomically((root_ / "low/d.wav").string(), "noise");
  try {
    first({.shuffle = false});
    FAIL();
  } catch (const IOError& error) {
    EXPECT_NE(std::string(error.what()).find("low/d.wav"), std::string::npos);
  }
}

}  // namespace
}  // namespace antler::data
