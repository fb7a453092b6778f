#include "antler/data/directory_datasets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/image.h"
#include "antler/io/npy.h"
#include "data/directory/resize.h"
#include "io/png.h"
#include "support/paths.h"
#include "support/tar_archive.h"

namespace antler::data {
namespace {

namespace fs = std::filesystem;

std::string png_of(uint8_t level, int64_t height = 4, int64_t width = 6) {
  return io::encode_png(std::vector<uint8_t>(static_cast<size_t>(height * width * 3), level),
                        height, width, 3);
}

/// Two classes: "cat" has 3 images of levels 10, 20, 30, and "dog" has 7 of levels 110 ... 170.
/// There are also a file that is not an image and a hidden folder.
class DirectoryDatasets : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto name = std::string("antler_directory_") +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
    root_ = fs::temp_directory_path() / name;
    fs::remove_all(root_);
    std::vector<std::string> entries;
    const auto put = [&](const std::string& file, const std::string& bytes) {
      fs::create_directories((root_ / "d" / file).parent_path());
      write_file_atomically((root_ / "d" / file).string(), bytes);
      entries.push_back(test::tar_entry("d/" + file, bytes));
    };
    for (int i = 7; i >= 1; --i) {
      put("dog/sub/" + std::to_string(i) + ".PNG", png_of(static_cast<uint8_t>(100 + 10 * i)));
      if (i <= 3) put("cat/" + std::to_string(i) + ".png", png_of(static_cast<uint8_t>(10 * i)));
    }
    put("cat/readme.md", "text");
    put(".hidden/x.png", png_of(1));
    folder_ = (root_ / "d").string();
    tar_ = (root_ / "d.tar").string();
    write_file_atomically(tar_, test::tar_archive(entries));
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path root_;
  std::string folder_;
  std::string tar_;
};

/// Levels (of the first sample) and labels of a pass.
std::vector<std::pair<int, int>> pass(const Dataset& dataset, uint64_t number = 0) {
  std::vector<std::pair<int, int>> all;
  const auto elements = dataset.iterate({5, number});
  for (Nest batch; elements->next(batch);) {
    const Tensor x = batch[0].tensor();
    for (int64_t i = 0; i < x.shape()[0]; ++i) {
      all.emplace_back(static_cast<int>(x.data<float>()[i * x.size() / x.shape()[0]]),
                       static_cast<int>(batch[1].tensor().to_doubles()[static_cast<size_t>(i)]));
    }
  }
  return all;
}

TEST_F(DirectoryDatasets, FolderAndArchiveGiveTheSameInOrder) {
  for (const std::string& directory : {folder_, tar_ + "/d"}) {
    SCOPED_TRACE(directory);
    const auto images = image_dataset_from_directory(
        directory, {.batch_size = 4, .image_size = {4, 6}, .shuffle = false});
    EXPECT_EQ(images.class_names, (std::vector<std::string>{"cat", "dog"}));
    EXPECT_EQ(images.cardinality(), 3);
    EXPECT_TRUE(images.file_paths[3].ends_with("d/dog/sub/1.PNG")) << images.file_paths[3];
    EXPECT_EQ(pass(images), (std::vector<std::pair<int, int>>{{10, 0},
                                                              {20, 0},
                                                              {30, 0},
                                                              {110, 1},
                                                              {120, 1},
                                                              {130, 1},
                                                              {140, 1},
                                                              {150, 1},
                                                              {160, 1},
                                                              {170, 1}}));
  }
  EXPECT_EQ(image_dataset_from_directory(tar_).class_names, (std::vector<std::string>{"d"}));
}

TEST_F(DirectoryDatasets, ShuffledPassesDifferAndSplitsAreKerass) {
  const auto [training, validation] =
      image_datasets_from_directory(folder_, {.batch_size = 3,
                                              .image_size = {4, 6},
                                              .seed = 42,
                                              .validation_split = 0.25,
                                              .num_parallel_calls = 3});
  // numpy.random.RandomState(42).shuffle(range(10)) is 8 1 5 0 7 2 9 4 3 6.
  EXPECT_EQ(pass(validation), (std::vector<std::pair<int, int>>{{110, 1}, {140, 1}}));
  const auto first = pass(training, 0);
  EXPECT_EQ(first, pass(training, 0));
  const auto second = pass(training, 1);
  EXPECT_NE(first, second);
  EXPECT_EQ(std::set(first.begin(), first.end()), std::set(second.begin(), second.end()));
  EXPECT_EQ(first.size(), 8U);
  for (const auto& [level, label] : first) EXPECT_EQ(label, level > 100 ? 1 : 0);
  const auto one_side = image_dataset_from_directory(
      folder_, {.seed = 42, .validation_split = 0.25, .subset = "validation"});
  EXPECT_EQ(one_side.file_paths, validation.file_paths);
}

TEST_F(DirectoryDatasets, LabelModesAndClassNames) {
  const auto first = [&](ImageDatasetOptions options) {
    options.shuffle = false;
    options.image_size = {2, 2};
    return *image_dataset_from_directory(folder_, options).begin();
  };
  const Nest categorical = first({.label_mode = "categorical", .class_names = {"dog", "cat"}});
  EXPECT_EQ(categorical[1].tensor().shape(), Shape({10, 2}));
  EXPECT_EQ(categorical[1].tensor().to_vector<float>()[0], 1);  // a dog
  EXPECT_EQ(categorical[0].tensor().data<float>()[0], 110);
  const Nest binary = first({.label_mode = "binary"});
  EXPECT_EQ(binary[1].tensor().shape(), Shape({10, 1}));
  EXPECT_EQ(binary[1].tensor().dtype(), DType::float32);
  const Nest none =
      first({.labels = std::nullopt, .label_mode = "none", .color_mode = "grayscale"});
  EXPECT_EQ(none.tensor().shape(), Shape({11, 2, 2, 1}));  // including the hidden folder
  const Nest given = first({.labels = std::vector<int64_t>{9, 1, 2, 3, 4, 5, 6, 7, 8, 0, 2}});
  EXPECT_EQ(given[1].tensor().to_vector<int32_t>()[0], 9);
  // Numbers in braces and a mode from a file of settings.
  EXPECT_EQ(DirectoryLabels({65, 66}).given(), (std::vector<int64_t>{65, 66}));
  const std::string mode = "inferred";
  const ImageDatasetOptions options = {.labels = mode};
  EXPECT_TRUE(options.labels.inferred());
  EXPECT_THROW(DirectoryLabels(std::string("int")), ValueError);
  const Nest single = first({.batch_size = std::nullopt});
  EXPECT_EQ(single[0].tensor().shape(), Shape({2, 2, 3}));
  EXPECT_EQ(single[1].tensor().shape(), Shape({}));
}

TEST_F(DirectoryDatasets, MistakesAreNamed) {
  EXPECT_THROW(image_dataset_from_directory(folder_ + "/none"), NotFoundError);
  EXPECT_THROW(image_dataset_from_directory(tar_ + "/none"), NotFoundError);
  EXPECT_THROW(image_dataset_from_directory(folder_, {.class_names = {"bird"}}), ValueError);
  EXPECT_THROW(image_dataset_from_directory(folder_, {.label_mode = "ints"}), ValueError);
  EXPECT_THROW(image_dataset_from_directory(folder_, {.color_mode = "cmyk"}), ValueError);
  EXPECT_THROW(image_dataset_from_directory(folder_, {.interpolation = "best"}), ValueError);
  EXPECT_THROW(image_dataset_from_directory(folder_, {.validation_split = 0.5}), ValueError);
  EXPECT_THROW(image_dataset_from_directory(folder_, {.labels = std::vector<int64_t>{1}}),
               ValueError);
  EXPECT_THROW(text_dataset_from_directory(folder_), ValueError);
  write_file_atomically(folder_ + "/cat/0.jpg", "no image at all");
  const auto images = image_dataset_from_directory(folder_, {.shuffle = false});
  try {
    (void)*images.begin();
    FAIL() << "the damaged file was read";
  } catch (const IOError& error) {
    EXPECT_NE(std::string(error.what()).find("cat/0.jpg"), std::string::npos) << error.what();
  }
}

TEST_F(DirectoryDatasets, TextsBecomeTensorsByAFunction) {
  for (const char* name : {"good/a.txt", "good/b.txt", "bad/c.txt"}) {
    fs::create_directories((root_ / "t" / name).parent_path());
    write_file_atomically((root_ / "t" / name).string(), std::string("text of ") + name);
  }
  const auto texts = text_dataset_from_directory(
      (root_ / "t").string(), {.batch_size = 2, .max_length = 9, .shuffle = false});
  EXPECT_EQ(texts.class_names, (std::vector<std::string>{"bad", "good"}));
  EXPECT_EQ(texts.texts.values, (std::vector<std::string>{"text of b", "text of g", "text of g"}));
  std::vector<int64_t> sizes;
  for (const Nest& batch : texts.map([](const StringTensor& t) {
         return Tensor::full(DType::float32, {t.shape[0], 1}, 1.0);
       })) {
    sizes.push_back(batch[0].tensor().shape()[0]);
    EXPECT_EQ(batch[1].tensor().dtype(), DType::int32);
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{2, 1}));
}

TEST(ImageResizer, PadsWhereTensorFlowDoes) {
  // 4 / (4 / 224) is less than 224 in float32, so the last row and column are padding.
  const std::vector<uint8_t> white(16, 255);
  std::vector<float> image(224 * 224);
  ImageResizer("nearest", ImageResizer::Fit::pad, 224, 224, 1)
      .resize(white.data(), 4, 4, image.data());
  EXPECT_EQ(image[222 * 224 + 222], 255);
  EXPECT_EQ(image[222 * 224 + 223], 0);
  EXPECT_EQ(image[223 * 224 + 222], 0);
}

TEST(ImageResizer, AgreesWithTensorFlow) {
  const fs::path images = test::data_dir() / "images";
  const Tensor image = io::load_image((images / "rgb.png").string());
  for (const auto& [name, want] : io::load_npz((images / "expected.npz").string())) {
    if (!name.starts_with("resize_")) continue;
    SCOPED_TRACE(name);
    const std::string how = name.substr(7);
    const auto fit = how == "crop"  ? ImageResizer::Fit::crop
                     : how == "pad" ? ImageResizer::Fit::pad
                                    : ImageResizer::Fit::stretch;
    ImageResizer resizer(how == "crop" || how == "pad" ? "bilinear" : how, fit, want.shape()[0],
                         want.shape()[1], 3);
    std::vector<float> got(static_cast<size_t>(want.size()));
    resizer.resize(image.data<uint8_t>(), 13, 18, got.data());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], want.data<float>()[i], how == "bicubic" ? 0.2 : 0.02) << i;
    }
  }
}

}  // namespace
}  // namespace antler::data
