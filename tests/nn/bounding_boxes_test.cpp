// Boxes and images that come with them, against figures of Keras (tools/image_dict_calls.py).
#include "antler/nn/bounding_boxes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "support/paths.h"

namespace antler {
namespace {

using namespace bounding_boxes;  // NOLINT(google-build-using-namespace): the functions under test

Json figures() {
  return Json::parse(read_file((test::data_dir() / "image_dict_calls.json").string()))["functions"];
}

Tensor tensor_of(const Json& json) {
  return Tensor::of(json["values"].get<std::vector<float>>(),
                    Shape(json["shape"].get<std::vector<int64_t>>()));
}

void expect_near(const Tensor& got, const Json& want, const std::string& what) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), want.size()) << what;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], want[i].get<double>(), 2e-5 * (1 + std::abs(want[i].get<double>())))
        << what << " " << i;
  }
}

TEST(BoundingBoxes, EveryFormatInEveryOther) {
  const Json f = figures();
  const Tensor boxes = tensor_of(f["boxes"]);
  ASSERT_EQ(f["convert_format"].size(), 81U);
  for (const Json& c : f["convert_format"]) {
    const auto source = c[0].get<std::string>();
    const auto target = c[1].get<std::string>();
    const Tensor given = convert_format(boxes, "xyxy", source, 6.0, 8.0);
    expect_near(convert_format(given, source, target, 6.0, 8.0), c[2], source + " to " + target);
  }
  EXPECT_EQ(convert_format(boxes, "XYWH", "xyWH").to_doubles(), boxes.to_doubles());
  const Nest nest =
      convert_format(Nest::dict({{"boxes", boxes}, {"labels", Tensor(1.0)}}), "xyxy", "yxyx");
  EXPECT_EQ(nest.at("labels").tensor().to_doubles(), std::vector<double>{1});
  EXPECT_THROW(convert_format(boxes, "xyxy", "rel_xyxy"), ValueError);
  EXPECT_THROW(convert_format(boxes, "xyxy", "xxyy"), ValueError);
  EXPECT_THROW(convert_format(Tensor::of<float>({1, 2, 3}), "xyxy", "xywh"), ValueError);
}

TEST(BoundingBoxes, ClippedBoxesLoseTheirLabels) {
  const Json f = figures();
  const Tensor wide = tensor_of(f["wide"]);
  const Tensor labels = Tensor::of<int64_t>({1, 2, 3, 4}, {2, 2});
  for (const char* format : {"xyxy", "rel_xyxy"}) {
    const Tensor boxes = convert_format(wide, "xyxy", format, 6.0, 8.0);
    const Nest nest = Nest::dict({{"boxes", boxes}, {"labels", labels}});
    const Nest clipped = clip_to_image_size(nest, 6.0, 8.0, format);
    expect_near(clipped.at("boxes").tensor(), f[std::string("clip_") + format][0], format);
    expect_near(clipped.at("labels").tensor(), f[std::string("clip_") + format][1], format);
    EXPECT_EQ(clipped.at("labels").tensor().dtype(), DType::int64);
  }
  const Nest relative = Nest::dict({{"boxes", Tensor::of<float>({0.5, 0.5, 2, 2}, {1, 4})}});
  EXPECT_EQ(clip_to_image_size(relative, {}, {}, "REL_XYXY").at("boxes").tensor().to_doubles(),
            (std::vector<double>{0.5, 0.5, 1, 1}));
  EXPECT_THROW(clip_to_image_size(Nest::dict({{"boxes", wide}})), ValueError);
  EXPECT_THROW(clip_to_image_size(Nest::dict({{"boxes", wide}}), 6.0, 8.0, "xywh"),
               NotImplementedError);
}

TEST(BoundingBoxes, MovedCroppedAndPadded) {
  const Json f = figures();
  const Tensor boxes = tensor_of(f["boxes"]);
  const auto each = [&](const char* key) {
    return Tensor::of(f["affine"][key].get<std::vector<float>>());
  };
  AffineTransform transform{.angle = each("angle"),
                            .translate_x = each("translate_x"),
                            .translate_y = each("translate_y"),
                            .scale = each("scale"),
                            .shear_x = each("shear_x"),
                            .shear_y = each("shear_y")};
  expect_near(affine_transform(boxes, transform, 6.0, 8.0), f["affine_transform"], "affine");
  transform.center_x = 0.25;
  transform.center_y = 1.0;
  expect_near(affine_transform(boxes, transform, 6.0, 8.0), f["affine_transform_off_centre"],
              "off center");
  expect_near(crop(boxes, 1.0, 2.0, 4.0, 5.0), f["crop"], "crop");
  expect_near(pad(boxes, 1.0, 2.0), f["pad"], "pad");
}

TEST(BoundingBoxes, DeltasThereAndBack) {
  const Json f = figures();
  const Tensor anchors = tensor_of(f["anchors"]);
  for (const Json& c : f["deltas"]) {
    // Upper case is accepted.
    std::string encoding = c["encoding"];
    encoding[0] = 'C';
    DeltaOptions options{
        .anchor_format = c["anchor"], .box_format = c["box"], .encoding_format = encoding};
    if (!c["variance"].is_null()) options.variance = c["variance"].get<std::vector<double>>();
    const Tensor boxes = Tensor::of(c["boxes"].get<std::vector<float>>(), {2, 2, 4});
    const Tensor deltas = encode_box_to_deltas(anchors, boxes, options);
    expect_near(deltas, c["encoded"], "encoded");
    expect_near(decode_deltas_to_boxes(anchors, deltas, options), c["decoded"], "decoded");
  }
  EXPECT_THROW(encode_box_to_deltas(
                   anchors, anchors,
                   {.anchor_format = "xyxy", .box_format = "xyxy", .encoding_format = "xyxy"}),
               ValueError);
  EXPECT_THROW(
      decode_deltas_to_boxes(anchors, anchors,
                             {.anchor_format = "xyxy", .box_format = "xyxy", .variance = {1, 2}}),
      ValueError);
}

TEST(BoundingBoxes, IntersectionOverUnion) {
  const Json f = figures();
  const Tensor boxes = tensor_of(f["boxes"]);
  const Tensor anchors = tensor_of(f["anchors"]);
  for (const Json& c : f["iou"]) {
    expect_near(compute_iou(boxes, anchors, c[0].get<std::string>()), c[1], c[0]);
  }
  const Tensor negative = Tensor::of<float>({-1, -1, -1, -1, 2, 2, 7, 5}, {2, 4});
  expect_near(compute_iou(anchors, negative, "xyxy", {.use_masking = true}), f["iou_masked"],
              "masked");
  const Tensor first = Tensor::of<float>({1.25, 2.25, 6.25, 5.25, 0.25, 0.25, 3.25, 4.25}, {2, 4});
  expect_near(compute_ciou(first, anchors, "xyxy"), f["ciou"], "ciou");
  EXPECT_THROW(compute_iou(boxes, anchors, "rel_xyxy"), ValueError);
  EXPECT_EQ(compute_ciou(first, anchors, "XYXY").to_doubles(),
            compute_ciou(first, anchors, "xyxy").to_doubles());
  for (const char* format : {"rel_xyxy", "REL_XYXY"}) {
    try {
      compute_ciou(first, anchors, format);
      FAIL() << format;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find("in pixels"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace antler
