// Layers of images that get a dictionary: masks, boxes and labels follow the images.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "antler/nn/bounding_boxes.h"
#include "antler/nn/layers.h"
#include "antler/nn/random_seed.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/runtime/function.h"
#include "support/paths.h"

namespace antler {
namespace {

Tensor image_tensor(const Json& json) {
  return Tensor::of(json["values"].get<std::vector<float>>(),
                    Shape(json["shape"].get<std::vector<int64_t>>()));
}

void expect_equal(const Nest& got, const Json& want, const std::string& what) {
  if (!want.contains("values")) {
    for (const auto& [key, value] : want.items())
      expect_equal(got.at(key), value, what + " " + key);
    return;
  }
  const Tensor x = got.tensor();
  EXPECT_EQ(dtype_name(x.dtype()), want["dtype"].get<std::string>()) << what;
  ASSERT_EQ(x.shape(), Shape(want["shape"].get<std::vector<int64_t>>())) << what;
  const std::vector<double> values = x.to_doubles();
  for (size_t i = 0; i < values.size(); ++i) {
    const double number = want["values"][i].get<double>();
    EXPECT_NEAR(values[i], number, 2e-4 * (1 + std::abs(number) / 10)) << what << " " << i;
  }
}

TEST(ImageDictionaries, AreWhatKerasMakesOfThem) {
  const Json cases =
      Json::parse(read_file((test::data_dir() / "image_dict_calls.json").string()))["layers"];
  ASSERT_GE(cases.size(), 30U);
  for (const Json& c : cases) {
    const auto height = c["height"].get<int64_t>();
    const auto width = c["width"].get<int64_t>();
    std::vector<float> pixels;
    std::vector<float> classes;
    for (int64_t j = 0; j < 2 * height * width; ++j) {
      pixels.push_back(static_cast<float>(37 * j % 251));
      classes.push_back(static_cast<float>((3 * j + j / 5) % 4));
    }
    const bool single = c["single"].get<bool>();
    const auto first = [&](const Tensor& x) {
      return single ? ops::squeeze(ops::slice_axis(x, 0, 0, 1), 0) : x;
    };
    const Shape shape{2, height, width, 1};
    Nest::Items items = {
        {"images", first(Tensor::of(pixels, shape))},
        {"bounding_boxes",
         Nest::dict({{"boxes", image_tensor(c["boxes"])},
                     {"labels", first(Tensor::of<int32_t>({1, 2, 3, 4}, {2, 2}))}})},
        {"labels", first(Tensor::of<int32_t>({5, 6}))},
        {"name", Tensor(7.0)}};
    if (c["mask"].is_string()) {
      items.emplace_back(
          "segmentation_masks",
          first(ops::cast(Tensor::of(classes, shape), parse_dtype(c["mask"].get<std::string>()))));
    }
    const LayerPtr layer = layer_from_config(c["class_name"].get<std::string>(), c["config"]);
    const Nest out = (*layer)(Nest::dict(items), {.training = c["training"].get<bool>()});
    const std::string what = c["class_name"].get<std::string>() + " " + c["config"].dump();
    expect_equal(out, c["outputs"], what);
    EXPECT_EQ(out.at("name").tensor().to_doubles(), std::vector<double>{7}) << what;
    EXPECT_EQ(layer->get_config()["bounding_box_format"], c["config"]["bounding_box_format"]);
  }
}

constexpr int64_t kHeight = 40;
constexpr int64_t kWidth = 56;

/// Black images with one bright rectangle, its mask and its box.
Nest rectangles() {
  const std::vector<std::vector<int64_t>> boxes = {{10, 8, 30, 26}, {24, 14, 40, 32}};  // xyxy
  std::vector<float> pixels;
  std::vector<float> corners;
  for (const auto& box : boxes) {
    for (int64_t y = 0; y < kHeight; ++y) {
      for (int64_t x = 0; x < kWidth; ++x) {
        pixels.push_back(x >= box[0] && x < box[2] && y >= box[1] && y < box[3] ? 200.F : 0.F);
      }
    }
    for (const int64_t c : box) corners.push_back(static_cast<float>(c));
  }
  const Tensor images = Tensor::of(pixels, {2, kHeight, kWidth, 1});
  return Nest::dict(
      {{"images", images},
       {"segmentation_masks", ops::cast(ops::greater(images, 0.0), DType::int32)},
       {"bounding_boxes", Nest::dict({{"boxes", Tensor::of(corners, {2, 1, 4})},
                                      {"labels", Tensor::of<int32_t>({1, 2}, {2, 1})}})}});
}

/// Left, top, right and bottom of the bright area in image i.
std::vector<double> bright_bounds(const Tensor& images, int64_t i) {
  const std::vector<double> values = images.to_doubles();
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  std::vector<double> bounds = {1e9, 1e9, 0, 0};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      if (values[static_cast<size_t>((i * height + y) * width + x)] < 100) continue;
      bounds[0] = std::min(bounds[0], static_cast<double>(x));
      bounds[1] = std::min(bounds[1], static_cast<double>(y));
      bounds[2] = std::max(bounds[2], static_cast<double>(x + 1));
      bounds[3] = std::max(bounds[3], static_cast<double>(y + 1));
    }
  }
  return bounds;
}

/// The box and the mask cover the bright area, up to about a pixel.
void expect_together(const std::string& name, const Json& config, const Nest& out) {
  const Tensor& images = out.at("images").tensor();
  const Tensor& masks = out.at("segmentation_masks").tensor();
  const std::vector<double> boxes = out.at("bounding_boxes").at("boxes").tensor().to_doubles();
  const std::vector<double> bright = images.to_doubles();
  const std::vector<double> marked = masks.to_doubles();
  int apart = 0;
  for (size_t i = 0; i < bright.size(); ++i) {
    // At the edge of the rectangle both are right.
    if ((bright[i] > 150) != (marked[i] > 0.75) && (bright[i] < 50) != (marked[i] < 0.25)) ++apart;
  }
  EXPECT_EQ(apart, 0) << name << config.dump();
  for (int64_t i = 0; i < 2; ++i) {
    const std::vector<double> bounds = bright_bounds(images, i);
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(boxes[static_cast<size_t>(i) * 4 + k], bounds[k], 2.1)
          << name << config.dump() << " image " << i << " side " << k;
    }
  }
}

TEST(ImageDictionaries, BoxesAndMasksFollowRandomChanges) {
  const Nest data = rectangles();
  const std::vector<std::pair<std::string, Json>> layers = {
      {"RandomFlip", {{"mode", "horizontal"}}},
      {"RandomFlip", {{"mode", "vertical"}}},
      {"RandomFlip", Json::object()},
      {"RandomCrop", {{"height", 30}, {"width", 38}}},
      {"RandomCrop", {{"height", 60}, {"width", 70}}},
      {"RandomTranslation", {{"height_factor", 0.15}, {"width_factor", 0.15}}},
      {"RandomZoom", {{"height_factor", {-0.2, 0.4}}, {"width_factor", {-0.2, 0.4}}}},
      {"RandomShear", {{"x_factor", 0.25}, {"y_factor", 0.0}}},
      {"RandomShear", {{"x_factor", 0.1}, {"y_factor", 0.2}}},
      {"RandomPerspective", {{"scale", 0.2}}},
      {"RandomRotation", {{"factor", {0.25, 0.25}}}},
      {"RandomRotation", {{"factor", {0.5, 0.5}}}},
  };
  for (const auto& [name, given] : layers) {
    for (int seed = 1; seed <= 6; ++seed) {
      Json config = given;
      config["bounding_box_format"] = "xyxy";
      config["seed"] = seed;
      if (!name.ends_with("Crop") && name != "RandomFlip" && name != "RandomPerspective") {
        config["fill_mode"] = "constant";
      }
      const LayerPtr layer = layer_from_config(name, config);
      expect_together(name, config, (*layer)(data, {.training = true}));
    }
  }
}

TEST(ImageDictionaries, FormatsDoNotChangeWhereBoxesAre) {
  const Nest data = rectangles();
  const Tensor boxes = data.at("bounding_boxes").at("boxes").tensor();
  const Tensor labels = data.at("bounding_boxes").at("labels").tensor();
  const auto moved = [&](const std::string& format) {
    RandomRotation layer(0.2, {.fill_mode = "constant", .seed = 5, .bounding_box_format = format});
    const auto h = static_cast<double>(kHeight);
    const auto w = static_cast<double>(kWidth);
    const Nest in = Nest::dict(
        {{"images", data.at("images")},
         {"bounding_boxes",
          Nest::dict({{"boxes", bounding_boxes::convert_format(boxes, "xyxy", format, h, w)},
                      {"labels", labels}})}});
    const Nest out = layer(in, {.training = true});
    return bounding_boxes::convert_format(out.at("bounding_boxes").at("boxes").tensor(), format,
                                          "xyxy", h, w)
        .to_doubles();
  };
  const std::vector<double> want = moved("xyxy");
  for (const char* format : {"yxyx", "xywh", "rel_xyxy", "rel_center_xywh", "center_yxhw"}) {
    const std::vector<double> got = moved(format);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-3) << format;
  }
}

TEST(ImageDictionaries, ChainsOfChangesTakeTheirMasksAlong) {
  const Nest one = rectangles();
  const Tensor grey = one.at("images").tensor();
  const Nest data = Nest::dict({{"images", ops::concatenate({grey, grey, grey}, -1)},
                                {"segmentation_masks", one.at("segmentation_masks")},
                                {"bounding_boxes", one.at("bounding_boxes")}});
  int moved = 0;
  for (int seed = 1; seed <= 16; ++seed) {
    RandAugment layer({.num_ops = 1, .factor = 0.08, .seed = seed, .bounding_box_format = "xyxy"});
    const Nest out = layer(data, {.training = true});
    const Tensor masks = out.at("segmentation_masks").tensor();
    EXPECT_EQ(masks.dtype(), DType::int32);
    const std::vector<double> boxes = out.at("bounding_boxes").at("boxes").tensor().to_doubles();
    for (int64_t i = 0; i < 2; ++i) {
      const std::vector<double> bounds = bright_bounds(ops::cast(masks * 200, DType::float32), i);
      for (size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(boxes[static_cast<size_t>(i) * 4 + k], bounds[k], 2.1) << seed;
      }
    }
    moved += boxes != data.at("bounding_boxes").at("boxes").tensor().to_doubles() ? 1 : 0;
    AugMix mix({.seed = seed, .bounding_box_format = "xyxy"});
    const Nest mixed = mix(data, {.training = true});
    EXPECT_EQ(mixed.at("bounding_boxes").at("boxes").tensor().to_doubles(),
              data.at("bounding_boxes").at("boxes").tensor().to_doubles());
    for (const double m : mixed.at("segmentation_masks").tensor().to_doubles()) {
      EXPECT_TRUE(m >= 0 && m <= 1.0001) << m;
    }
  }
  EXPECT_GT(moved, 0);
  EXPECT_LT(moved, 16);
}

TEST(ImageDictionaries, MixedImagesHaveMixedLabels) {
  // Image i is the constant 100 i, with the label one-hot i: the share of each is visible in both.
  std::vector<float> pixels;
  for (int i = 0; i < 4; ++i) pixels.insert(pixels.end(), 12 * 10, 100.F * static_cast<float>(i));
  const Tensor images = Tensor::of(pixels, {4, 12, 10, 1});
  const Tensor labels = ops::eye(4);
  const auto value_by_label = [](const Tensor& mixed) {
    std::vector<double> sums(4, 0.0);
    const std::vector<double> l = mixed.to_doubles();
    for (size_t i = 0; i < 4; ++i) {
      for (size_t k = 0; k < 4; ++k) sums[i] += 100.0 * static_cast<double>(k) * l[i * 4 + k];
    }
    return sums;
  };
  for (int seed = 1; seed <= 5; ++seed) {
    const Nest data =
        Nest::dict({{"images", images}, {"labels", labels}, {"segmentation_masks", images}});
    MixUp mix({.alpha = 1.0, .seed = seed});
    const Nest out = mix(data, {.training = true});
    const std::vector<double> want = value_by_label(out.at("labels").tensor());
    const std::vector<double> got = out.at("images").tensor().to_doubles();
    EXPECT_EQ(out.at("segmentation_masks").tensor().to_doubles(), got);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i * 120], want[i], 1e-3) << seed;
    CutMix cut({.factor = 1.0, .seed = seed});
    const Nest pasted = cut(data, {.training = true});
    const std::vector<double> p = pasted.at("images").tensor().to_doubles();
    EXPECT_EQ(pasted.at("segmentation_masks").tensor().to_doubles(), p);
    const std::vector<double> expected = value_by_label(pasted.at("labels").tensor());
    for (size_t i = 0; i < 4; ++i) {
      double mean = 0;
      for (size_t k = 0; k < 120; ++k) mean += p[i * 120 + k] / 120;
      // The label has the area of the rectangle before it is rounded to pixels.
      EXPECT_NEAR(mean, expected[i], 60) << seed << " " << i;
    }
  }
  const Nest boxes = rectangles();
  const Nest both = MixUp({.bounding_box_format = "xyxy", .seed = 1})(boxes, {.training = true});
  EXPECT_EQ(both.at("bounding_boxes").at("boxes").tensor().shape(), (Shape{2, 2, 4}));
  EXPECT_EQ(both.at("bounding_boxes").at("labels").tensor().shape(), (Shape{2, 2}));
}

TEST(ImageDictionaries, InsideOfACompiledProgram) {
  const Nest data = rectangles();
  RandomRotation layer(0.04, {.fill_mode = "constant", .bounding_box_format = "xyxy"});
  Function step =
      tf::function(Function::Body([&](const Nest& in) { return layer(in, {.training = true}); }));
  std::vector<double> before;
  for (int i = 0; i < 3; ++i) {
    const Nest out = step(data);
    expect_together("RandomRotation", Json(i), out);
    const std::vector<double> boxes = out.at("bounding_boxes").at("boxes").tensor().to_doubles();
    EXPECT_NE(boxes, before);
    before = boxes;
  }
}

TEST(ImageDictionaries, ThroughAPipeline) {
  const Nest data = rectangles();
  Pipeline pipeline({RandomFlip({.seed = 3, .bounding_box_format = "xyxy"}).share(),
                     Resizing(20, 28, {.bounding_box_format = "xyxy"}).share()});
  const Nest out = pipeline(data, {.training = true});
  EXPECT_EQ(out.at("images").tensor().shape(), (Shape{2, 20, 28, 1}));
  const std::vector<double> boxes = out.at("bounding_boxes").at("boxes").tensor().to_doubles();
  for (int64_t i = 0; i < 2; ++i) {
    const std::vector<double> bounds = bright_bounds(out.at("images").tensor(), i);
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(boxes[static_cast<size_t>(i) * 4 + k], bounds[k], 1.01);
    }
  }
}

TEST(ImageDictionaries, WhatDoesNotFitIsRefused) {
  const Nest data = rectangles();
  EXPECT_THROW(RandomFlip()(data), ValueError);  // no bounding_box_format
  EXPECT_THROW(CutMix({.bounding_box_format = "xyxy"})(data, {.training = true}),
               NotImplementedError);
  EXPECT_THROW(RandomElasticTransform({.bounding_box_format = "xyxy"})(data, {.training = true}),
               NotImplementedError);
  EXPECT_THROW(RandomFlip({.bounding_box_format = "xyxx"})(data, {.training = true}), ValueError);
  EXPECT_THROW(RandomFlip()(Nest::dict({{"labels", Tensor(1.0)}})), KeyError);
  RandomFlip flip({.bounding_box_format = "xyxy"});
  EXPECT_THROW(
      flip(Nest::dict({{"images", data.at("images")}, {"bounding_boxes", data.at("images")}})),
      ValueError);
  EXPECT_THROW(
      flip(Nest::dict({{"images", data.at("images")},
                       {"bounding_boxes", Nest::dict({{"boxes", Tensor::of<float>({1, 2, 3, 4})},
                                                      {"labels", Tensor::of<float>({1})}})}})),
      ValueError);
}

}  // namespace
}  // namespace antler
