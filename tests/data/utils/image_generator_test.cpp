// Changes of single images compared with Keras 2 (tools/image_generator_calls.py), and batches.
#include "antler/data/utils/image_generator.h"

#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "antler/base/logging.h"
#include "antler/data/utils/images.h"
#include "data/permutation.h"
#include "data/utils/image_iterator.h"
#include "support/paths.h"

namespace antler::utils {
namespace {

Json figures() {
  return Json::parse(read_file((test::data_dir() / "image_generator_calls.json").string()));
}

Tensor picture(const Shape& shape, double low = 0) {
  std::vector<float> values;
  for (int64_t j = 0; j < shape.num_elements(); ++j) {
    values.push_back(static_cast<float>(static_cast<double>(37 * j % 251) + low));
  }
  return Tensor::of(values, shape);
}

Shape shape_of(const Json& json) { return Shape(json.get<std::vector<int64_t>>()); }

void expect_near(const Tensor& got, const Json& want, double tolerance, const std::string& what) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), want.size()) << what;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], want[i].get<double>(), tolerance) << what << " " << i;
  }
}

TEST(AffineImage, IsSciPys) {
  const Json cases = figures()["affine"];
  ASSERT_EQ(cases.size(), 24U);
  for (const Json& c : cases) {
    const Json& o = c["options"];
    const Tensor y =
        apply_affine_transform(picture(shape_of(c["shape"])), {.theta = o["theta"],
                                                               .tx = o["tx"],
                                                               .ty = o["ty"],
                                                               .shear = o["shear"],
                                                               .zx = o["zx"],
                                                               .zy = o["zy"],
                                                               .row_axis = o["row_axis"],
                                                               .col_axis = o["col_axis"],
                                                               .channel_axis = o["channel_axis"],
                                                               .fill_mode = o["fill_mode"],
                                                               .cval = o["cval"],
                                                               .order = o["order"]});
    expect_near(y, c["out"], 2e-3, o.dump());
  }
  const Tensor x = picture({3, 4, 2});
  EXPECT_THROW(apply_affine_transform(x, {.row_axis = 0, .col_axis = 2, .channel_axis = 1}),
               ValueError);
  EXPECT_THROW(apply_affine_transform(x, {.row_axis = 1, .col_axis = 1}), ValueError);
  EXPECT_THROW(apply_affine_transform(x, {.fill_mode = "mirror"}), ValueError);
  EXPECT_THROW(apply_affine_transform(x, {.order = 3}), NotImplementedError);
  EXPECT_THROW(apply_affine_transform(picture({3, 4})), ValueError);
}

TEST(AffineImage, BrightnessIsPillows) {
  const Json f = figures();
  for (const Json& c : f["brightness"]) {
    const Tensor y = apply_brightness_shift(picture(shape_of(c["shape"]), c["low"]),
                                            c["brightness"], {.scale = c["scale"]});
    expect_near(y, c["out"], 1e-3, c.dump());
  }
  expect_near(apply_channel_shift(picture({2, 3, 3}), -60.5), f["channel_shift"], 1e-4, "shift");
}

TEST(AffineImage, RandomOnesStayWithinTheirRange) {
  std::set<std::vector<double>> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    // The values of a ramp show by how many rows it was shifted.
    std::vector<float> ramp(20);
    std::iota(ramp.begin(), ramp.end(), 0.0F);
    const Tensor x = Tensor::of(ramp, {1, 20, 1});
    const std::vector<double> y =
        random_shift(x, 0.0, 0.2, seed, {.row_axis = 1, .col_axis = 2}).to_doubles();
    EXPECT_LE(std::abs(y[10] - 10), 4.0 + 1e-4);
    seen.insert(y);
    EXPECT_EQ(y, random_shift(x, 0.0, 0.2, seed, {.row_axis = 1, .col_axis = 2}).to_doubles());
    const std::vector<double> bright =
        random_brightness(picture({2, 2, 1}), {0.5, 0.5}, seed, {.scale = false}).to_doubles();
    EXPECT_EQ(bright[1], 18);
    EXPECT_EQ(random_rotation(picture({1, 3, 3}), 0.0, seed).to_doubles(),
              picture({1, 3, 3}).to_doubles());
    EXPECT_EQ(random_shear(picture({1, 3, 3}), 0.0, seed).to_doubles(),
              picture({1, 3, 3}).to_doubles());
    EXPECT_EQ(random_zoom(picture({1, 3, 3}), {1, 1}, seed).to_doubles(),
              picture({1, 3, 3}).to_doubles());
    EXPECT_EQ(random_channel_shift(picture({1, 3, 3}), 0.0, seed).to_doubles(),
              picture({1, 3, 3}).to_doubles());
  }
  EXPECT_GT(seen.size(), 10U);
}

TEST(ImageDataGenerator, StandardizesAsKeras) {
  std::vector<float> values;
  for (int64_t j = 0; j < 200 * 12; ++j) {
    values.push_back(static_cast<float>((37 * j % 251) * (j % 7 + 1)));
  }
  const Tensor x = Tensor::of(values, {200, 2, 2, 3});
  const Tensor one = Tensor::of(
      std::vector<float>(values.begin() + 3 * 12, values.begin() + 4 * 12), Shape{2, 2, 3});
  const Json standardized = figures()["standardized"];
  for (const Json& c : standardized) {
    const Json& o = c["options"];
    ImageDataGeneratorOptions options;
    options.featurewise_center = o.value("featurewise_center", false);
    options.samplewise_center = o.value("samplewise_center", false);
    options.featurewise_std_normalization = o.value("featurewise_std_normalization", false);
    options.samplewise_std_normalization = o.value("samplewise_std_normalization", false);
    options.zca_whitening = o.value("zca_whitening", false);
    if (o.contains("rescale")) options.rescale = o["rescale"].get<double>();
    ImageDataGenerator generator(options);
    generator.fit(x);
    expect_near(generator.standardize(one), c["out"], 5e-3, o.dump());
  }
}

TEST(ImageDataGenerator, AppliesTransformsInKerasOrder) {
  const Json transforms = figures()["transforms"];
  for (const Json& c : transforms) {
    const Json& t = c["transform"];
    ImageDataGenerator generator({.fill_mode = "reflect"});
    const Tensor y = generator.apply_transform(
        picture(shape_of(c["shape"])), {.theta = t["theta"],
                                        .tx = t["tx"],
                                        .ty = t["ty"],
                                        .shear = t["shear"],
                                        .zx = t["zx"],
                                        .zy = t["zy"],
                                        .flip_horizontal = true,
                                        .flip_vertical = true,
                                        .channel_shift_intensity = t["channel_shift_intensity"],
                                        .brightness = t["brightness"]});
    // In bytes, a half may be rounded either way.
    expect_near(y, c["out"], 1.01, "transform");
  }
}

TEST(ImageDataGenerator, DrawsWithinItsRanges) {
  ImageDataGenerator generator({.rotation_range = 30,
                                .width_shift_range = int64_t{3},
                                .height_shift_range = std::vector<double>{0.25},
                                .brightness_range = std::pair(0.5, 1.5),
                                .shear_range = 10,
                                .zoom_range = 0.2,
                                .channel_shift_range = 7,
                                .horizontal_flip = true});
  std::set<double> widths, heights;
  int flips = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const ImageTransform t = generator.get_random_transform({8, 6, 3}, seed);
    EXPECT_LE(std::abs(t.theta), 30);
    EXPECT_LE(std::abs(t.shear), 10);
    EXPECT_TRUE(t.zx >= 0.8 && t.zx <= 1.2 && t.zy >= 0.8 && t.zy <= 1.2);
    EXPECT_NE(t.zx, t.zy);
    EXPECT_LE(std::abs(*t.channel_shift_intensity), 7);
    EXPECT_TRUE(*t.brightness >= 0.5 && *t.brightness <= 1.5);
    widths.insert(t.tx);
    heights.insert(t.ty);
    flips += t.flip_horizontal ? 1 : 0;
    EXPECT_FALSE(t.flip_vertical);
  }
  EXPECT_EQ(widths, (std::set<double>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(heights, (std::set<double>{-2, 2}));  // a quarter of 8 pixels
  EXPECT_TRUE(flips > 10 && flips < 50);
}

/// Images whose pixels are the index of the image.
Tensor numbered(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.insert(values.end(), 4, static_cast<float>(i));
  return Tensor::of(values, {count, 2, 2, 1});
}

TEST(ImageDataGenerator, FlowsThroughAllImagesInEachPass) {
  const Tensor y = Tensor::of<float>({0, 10, 20, 30, 40, 50, 60});
  const Tensor weight = Tensor::of<float>({0, 1, 2, 3, 4, 5, 6});
  const auto batches = ImageDataGenerator().flow(
      numbered(7), y, {.batch_size = 3, .sample_weight = weight, .seed = 5, .misc = {y}});
  EXPECT_EQ(batches->size(), 3);
  std::vector<std::vector<double>> orders;
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> order;
    for (int64_t i = 0; i < 3; ++i) {
      const Nest item = batches->item(i);
      const std::vector<double> x = item[0][0].tensor().to_doubles();
      const std::vector<double> targets = item[1].tensor().to_doubles();
      EXPECT_EQ(item[0][1].tensor().to_doubles(), targets);
      for (size_t k = 0; k < targets.size(); ++k) {
        EXPECT_EQ(targets[k], 10 * x[4 * k]);
        EXPECT_EQ(item[2].tensor().to_doubles()[k], x[4 * k]);
        order.push_back(x[4 * k]);
      }
    }
    orders.push_back(order);
    EXPECT_EQ(std::set<double>(order.begin(), order.end()).size(), 7U);
    batches->on_epoch_end();
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_THROW(batches->item(3), ValueError);
  const Nest alone = ImageDataGenerator().flow(numbered(4), {}, {.shuffle = false})->item(0);
  ASSERT_TRUE(alone.is_tensor());
  EXPECT_EQ(alone.tensor().to_doubles(), numbered(4).to_doubles());
}

TEST(ImageDataGenerator, AllBatchesOfAPassShareOneOrder) {
  ImageIterator::Source source{ImageDataGenerator()};
  source.samples = 9;
  source.seed = 3;
  const auto first = source.order(0);
  EXPECT_EQ(source.order(0), first);
  const auto second = source.order(1);
  EXPECT_NE(*second, *first);
  EXPECT_EQ(source.order(1), second);
  std::vector<int64_t> expected(9);
  data::random_permutation(expected, 3, 0);
  EXPECT_EQ(*source.order(0), expected);
  ImageIterator::Source sorted{ImageDataGenerator()};
  sorted.samples = 3;
  sorted.shuffle = false;
  EXPECT_EQ(*sorted.order(0), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(sorted.order(1), sorted.order(0));
}

TEST(ImageDataGenerator, SplitsArrays) {
  ImageDataGenerator generator({.validation_split = 0.25});
  const Tensor y = Tensor::of<float>({0, 1, 0, 1, 0, 1, 0, 1});
  const auto part = [&](const std::string& subset) {
    return generator.flow(numbered(8), y, {.shuffle = false, .subset = subset});
  };
  EXPECT_EQ(part("validation")->samples(), 2);
  EXPECT_EQ(part("training")->samples(), 6);
  EXPECT_EQ(part("training")->item(0)[0].tensor().to_doubles()[0], 2);
  EXPECT_THROW(part("test"), ValueError);
  const Tensor sorted = Tensor::of<float>({0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_THROW(generator.flow(numbered(8), sorted, {.subset = "training"}), ValueError);
  EXPECT_EQ(generator.flow(numbered(8), sorted, {.ignore_class_split = true, .subset = "training"})
                ->samples(),
            6);
}

TEST(ImageDataGenerator, BadArguments) {
  EXPECT_THROW(ImageDataGenerator({.data_format = "channels"}), ValueError);
  EXPECT_THROW(ImageDataGenerator({.validation_split = 1.5}), ValueError);
  ImageDataGenerator generator;
  EXPECT_THROW(generator.flow(picture({4, 4})), ValueError);
  EXPECT_THROW(generator.flow(numbered(4), Tensor::of<float>({1, 2})), ValueError);
  EXPECT_THROW(generator.flow(numbered(4), {}, {.batch_size = 0}), ValueError);
  EXPECT_THROW(generator.flow(numbered(4), {}, {.save_format = "jpeg"}), ValueError);
  EXPECT_THROW(generator.fit(picture({4, 4, 3})), ValueError);
  EXPECT_THROW(generator.flow_from_directory("/nonexistent"), NotFoundError);
  std::vector<std::string> warnings;
  logging::set_warning_sink([&](std::string_view text) { warnings.emplace_back(text); });
  ImageDataGenerator whitening({.featurewise_std_normalization = true, .zca_whitening = true});
  EXPECT_TRUE(whitening.options().featurewise_center);
  EXPECT_FALSE(whitening.options().featurewise_std_normalization);
  whitening.standardize(picture({2, 2, 1}));
  logging::set_warning_sink({});
  EXPECT_EQ(warnings.size(), 4U);
}

TEST(ImageDataGenerator, FlowsFromDirectories) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("antler_flow_" + std::to_string(::getpid()));
  for (const auto& [name, level] :
       std::vector<std::pair<std::string, double>>{{"cat/a.png", 10},
                                                   {"cat/b.png", 20},
                                                   {"dog/c.png", 110},
                                                   {"dog/sub/d.png", 120},
                                                   {"dog/e.png", 130}}) {
    std::filesystem::create_directories((root / name).parent_path());
    save_img((root / name).string(), Tensor::full(DType::float32, {3, 4, 3}, level),
             {.scale = false});
  }
  std::string printed;
  logging::set_sink([&](std::string_view text) { printed += text; });
  ImageDataGenerator generator({.rescale = 0.1, .validation_split = 0.5});
  const auto all = generator.flow_from_directory(
      root.string(), {.target_size = {2, 2}, .batch_size = 4, .shuffle = false});
  EXPECT_EQ(printed, "Found 5 images belonging to 2 classes.\n");
  EXPECT_EQ(all->filenames(), (std::vector<std::string>{"cat/a.png", "cat/b.png", "dog/c.png",
                                                        "dog/e.png", "dog/sub/d.png"}));
  EXPECT_EQ(all->classes(), (std::vector<int64_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(all->class_indices().at("dog"), 1);
  const Nest batch = all->item(0);
  EXPECT_EQ(batch[0].tensor().shape(), (Shape{4, 2, 2, 3}));
  EXPECT_NEAR(batch[0].tensor().to_doubles()[0], 1.0, 1e-6);
  EXPECT_EQ(batch[1].tensor().to_doubles(), (std::vector<double>{1, 0, 1, 0, 0, 1, 0, 1}));
  const auto mode = [&](const std::string& class_mode, const std::string& subset) {
    return generator.flow_from_directory(root.string(), {.target_size = {2, 2},
                                                         .color_mode = "grayscale",
                                                         .classes = {"dog", "cat"},
                                                         .class_mode = class_mode,
                                                         .shuffle = false,
                                                         .subset = subset});
  };
  EXPECT_EQ(mode("sparse", "")->item(0)[1].tensor().to_doubles(),
            (std::vector<double>{0, 0, 0, 1, 1}));
  EXPECT_TRUE(mode("none", "")->item(0).is_tensor());
  const Nest same = mode("input", "")->item(0);
  EXPECT_EQ(same[0].tensor().to_doubles(), same[1].tensor().to_doubles());
  EXPECT_EQ(mode("binary", "validation")->filenames(),
            (std::vector<std::string>{"dog/c.png", "cat/a.png"}));
  EXPECT_EQ(mode("binary", "training")->samples(), 3);
  EXPECT_THROW(mode("multi", ""), ValueError);
  // A class may be a folder in another class's folder, and may be named twice.
  const auto nested = generator.flow_from_directory(
      root.string(), {.classes = {"dog", "dog/sub", "dog/sub"}, .shuffle = false});
  EXPECT_EQ(nested->filenames(),
            (std::vector<std::string>{"dog/c.png", "dog/e.png", "dog/sub/d.png", "dog/sub/d.png",
                                      "dog/sub/d.png"}));
  EXPECT_EQ(nested->classes(), (std::vector<int64_t>{0, 0, 0, 1, 2}));
  // Keras would read it.
  write_file_atomically((root / "dog/f.TIFF").string(), "II*");
  EXPECT_THROW(mode("none", ""), NotImplementedError);
  std::filesystem::create_directories(root / "out");
  generator
      .flow_from_directory(
          (root / "").string(),
          {.classes = {"cat"}, .save_to_dir = (root / "out").string(), .save_prefix = "p"})
      ->item(0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root / "out"), {}), 2);
  logging::set_sink({});
  std::filesystem::remove_all(root);
}

TEST(ImageDataGenerator, FlowsFromTables) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("antler_table_" + std::to_string(::getpid()));
  std::filesystem::create_directories(root);
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) {
    save_img((root / name).string(), Tensor::full(DType::float32, {3, 4, 3}, name[0]),
             {.scale = false});
  }
  const std::string csv = (root / "table.csv").string();
  write_file_atomically(csv,
                        "filename,class,size,other,weight\n"
                        "a.png,dog,1,10,0.5\nb.png,cat,2,20,1\nno.png,cat,3,30,1\n"
                        "c.png,dog,4,40,2\nd.png,bird,5,50,3\n");
  std::string printed;
  std::string warned;
  logging::set_sink([&](std::string_view text) { printed += text; });
  logging::set_warning_sink([&](std::string_view text) { warned += text; });
  const ImageDataGenerator generator({.validation_split = 0.5});
  FlowFromDataframeOptions o{.directory = root.string(), .target_size = {2, 2}, .shuffle = false};
  const auto all = generator.flow_from_dataframe(csv, o);
  // Output, warnings and order of tf_keras.
  EXPECT_EQ(printed, "Found 4 validated image filenames belonging to 3 classes.\n");
  EXPECT_NE(warned.find("Found 1 invalid image filename(s) in x_col=\"filename\"."),
            std::string::npos);
  EXPECT_EQ(all->classes(), (std::vector<int64_t>{2, 1, 2, 0}));
  EXPECT_EQ(all->class_indices().at("cat"), 1);
  const Nest batch = all->item(0);
  EXPECT_EQ(batch[0].tensor().shape(), (Shape{4, 2, 2, 3}));
  EXPECT_EQ(batch[0].tensor().to_doubles()[0], 'a');
  EXPECT_EQ(batch[1].tensor().to_doubles(),
            (std::vector<double>{0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0}));
  o.weight_col = "weight";
  o.classes = {"cat", "dog"};
  o.class_mode = "binary";
  const Nest binary = generator.flow_from_dataframe(csv, o)->item(0);
  EXPECT_EQ(binary[1].tensor().to_doubles(), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(binary[2].tensor().to_doubles(), (std::vector<double>{0.5, 1, 2}));
  o.subset = "validation";
  EXPECT_EQ(generator.flow_from_dataframe(csv, o)->filenames(),
            (std::vector<std::string>{"a.png"}));
  o.subset = {};
  o.weight_col = {};
  o.y_col = {"size", "other"};
  o.class_mode = "raw";
  EXPECT_EQ(generator.flow_from_dataframe(csv, o)->item(0)[1].tensor().to_doubles(),
            (std::vector<double>{1, 10, 2, 20, 4, 40, 5, 50}));
  o.class_mode = "multi_output";
  EXPECT_EQ(generator.flow_from_dataframe(csv, o)->item(0)[1][1].tensor().to_doubles(),
            (std::vector<double>{10, 20, 40, 50}));
  o.class_mode = "none";
  EXPECT_TRUE(generator.flow_from_dataframe(csv, o)->item(0).is_tensor());
  o.class_mode = "sparse";
  EXPECT_THROW(generator.flow_from_dataframe(csv, o), ValueError);
  o.y_col = {"size"};
  EXPECT_THROW(generator.flow_from_dataframe(csv, o), TypeError);
  write_file_atomically((root / "a.tif").string(), "II*");
  const std::string unreadable = (root / "unreadable.csv").string();
  write_file_atomically(unreadable, "filename,class\na.tif,dog\nb.png,cat\n");
  EXPECT_THROW(
      generator.flow_from_dataframe(unreadable, {.directory = root.string(), .classes = {"dog"}}),
      NotImplementedError);
  EXPECT_EQ(
      generator.flow_from_dataframe(unreadable, {.directory = root.string(), .classes = {"cat"}})
          ->samples(),
      1);
  o.x_col = "nothing";
  EXPECT_THROW(generator.flow_from_dataframe(csv, o), KeyError);
  logging::set_sink({});
  logging::set_warning_sink({});
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace antler::utils
