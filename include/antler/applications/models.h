#pragma once

#include <string>
#include <vector>

#include "antler/applications/options.h"
#include "antler/core/keyword.h"
#include "antler/training/model.h"

/// The models of keras.applications: functional models with Keras's layers, names and order of
/// weights, so that Keras's weights files load. Images are [batch, height, width, channels].
///
///     Model model = applications::ResNet50();             // with ImageNet weights
///     Model body = applications::MobileNetV2({.input_shape = Shape{96, 96, 3},
///                                             .include_top = false,
///                                             .weights = "mine.weights.h5",
///                                             .pooling = "avg"});
///
/// All throw ValueError
/// - if `weights` is neither "imagenet" nor a file,
/// - with pretrained weights and a top, if `classes` is not 1000 (ImageNet) or the activation is
///   neither softmax nor none,
/// - for an unknown `pooling`, and
/// - for an `input_shape` that is not of rank 3, too small, or with a top not fully known.
/// They also throw the errors of utils::get_file() and Model::load_weights().
// Keras's names.
// NOLINTBEGIN(readability-identifier-naming)
namespace antler::applications {

/// He et al. 2015 (arXiv 1512.03385): 224 x 224, at least 32 x 32.
Model ResNet50(const ApplicationOptions& options = {});
Model ResNet101(const ApplicationOptions& options = {});
Model ResNet152(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(ResNet50, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(ResNet101, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(ResNet152, ApplicationOptions)
/// He et al. 2016 (arXiv 1603.05027): 224 x 224, at least 32 x 32.
Model ResNet50V2(const ApplicationOptions& options = {});
Model ResNet101V2(const ApplicationOptions& options = {});
Model ResNet152V2(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(ResNet50V2, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(ResNet101V2, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(ResNet152V2, ApplicationOptions)
/// Simonyan and Zisserman 2014 (arXiv 1409.1556): 224 x 224, at least 32 x 32.
Model VGG16(const ApplicationOptions& options = {});
Model VGG19(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(VGG16, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(VGG19, ApplicationOptions)
/// Howard et al. 2017 (arXiv 1704.04861): 224 x 224, at least 32 x 32.
Model MobileNet(const MobileNetOptions& options = {});
ANTLER_KEYWORD_FUNCTION(MobileNet, MobileNetOptions)
/// Sandler et al. 2018 (arXiv 1801.04381): 224 x 224, at least 32 x 32.
Model MobileNetV2(const MobileNetV2Options& options = {});
ANTLER_KEYWORD_FUNCTION(MobileNetV2, MobileNetV2Options)
/// Howard et al. 2019 (arXiv 1905.02244): any size of at least 32 x 32, trained on 224 x 224.
Model MobileNetV3Small(const MobileNetV3Options& options = {});
Model MobileNetV3Large(const MobileNetV3Options& options = {});
ANTLER_KEYWORD_FUNCTION(MobileNetV3Small, MobileNetV3Options)
ANTLER_KEYWORD_FUNCTION(MobileNetV3Large, MobileNetV3Options)
/// Tan and Le 2019 (arXiv 1905.11946): 224, 240, 260, 300, 380, 456, 528, 600 squared, at least 32
/// x 32.
Model EfficientNetB0(const ApplicationOptions& options = {});
Model EfficientNetB1(const ApplicationOptions& options = {});
Model EfficientNetB2(const ApplicationOptions& options = {});
Model EfficientNetB3(const ApplicationOptions& options = {});
Model EfficientNetB4(const ApplicationOptions& options = {});
Model EfficientNetB5(const ApplicationOptions& options = {});
Model EfficientNetB6(const ApplicationOptions& options = {});
Model EfficientNetB7(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(EfficientNetB0, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB1, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB2, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB3, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB4, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB5, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB6, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(EfficientNetB7, ApplicationOptions)
/// Tan and Le 2021 (arXiv 2104.00298): 224, 240, 260, 300, 384, 480, 480 squared, at least 32 x 32.
Model EfficientNetV2B0(const EfficientNetV2Options& options = {});
Model EfficientNetV2B1(const EfficientNetV2Options& options = {});
Model EfficientNetV2B2(const EfficientNetV2Options& options = {});
Model EfficientNetV2B3(const EfficientNetV2Options& options = {});
Model EfficientNetV2S(const EfficientNetV2Options& options = {});
Model EfficientNetV2M(const EfficientNetV2Options& options = {});
Model EfficientNetV2L(const EfficientNetV2Options& options = {});
ANTLER_KEYWORD_FUNCTION(EfficientNetV2B0, EfficientNetV2Options)
ANTLER_KEYWORD_FUNCTION(EfficientNetV2B1, EfficientNetV2Options)
ANTLER_KEYWORD_FUNCTION(EfficientNetV2B2, EfficientNetV2Options)
ANTLER_KEYWORD_FUNCTION(EfficientNetV2B3, EfficientNetV2Options)
ANTLER_KEYWORD_FUNCTION(EfficientNetV2S, EfficientNetV2Options)
ANTLER_KEYWORD_FUNCTION(EfficientNetV2M, EfficientNetV2Options)
ANTLER_KEYWORD_FUNCTION(EfficientNetV2L, EfficientNetV2Options)
/// Huang et al. 2016 (arXiv 1608.06993): 224 x 224, at least 32 x 32.
Model DenseNet121(const ApplicationOptions& options = {});
Model DenseNet169(const ApplicationOptions& options = {});
Model DenseNet201(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(DenseNet121, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(DenseNet169, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(DenseNet201, ApplicationOptions)
/// Szegedy et al. 2015 (arXiv 1512.00567): 299 x 299, at least 75 x 75.
Model InceptionV3(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(InceptionV3, ApplicationOptions)
/// Szegedy et al. 2016 (arXiv 1602.07261): 299 x 299, at least 75 x 75.
Model InceptionResNetV2(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(InceptionResNetV2, ApplicationOptions)
/// Chollet 2016 (arXiv 1610.02357): 299 x 299, at least 71 x 71.
Model Xception(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(Xception, ApplicationOptions)
/// Zoph et al. 2017 (arXiv 1707.07012): 224 x 224 (mobile) and 331 x 331 (large), at least 32 x 32.
/// The default shape of NASNetMobile without top is also 224 x 224.
Model NASNetMobile(const ApplicationOptions& options = {});
Model NASNetLarge(const ApplicationOptions& options = {});
ANTLER_KEYWORD_FUNCTION(NASNetMobile, ApplicationOptions)
ANTLER_KEYWORD_FUNCTION(NASNetLarge, ApplicationOptions)
/// Liu et al. 2022 (arXiv 2201.03545): 224 x 224, at least 32 x 32.
Model ConvNeXtTiny(const ConvNeXtOptions& options = {});
Model ConvNeXtSmall(const ConvNeXtOptions& options = {});
Model ConvNeXtBase(const ConvNeXtOptions& options = {});
Model ConvNeXtLarge(const ConvNeXtOptions& options = {});
Model ConvNeXtXLarge(const ConvNeXtOptions& options = {});
ANTLER_KEYWORD_FUNCTION(ConvNeXtTiny, ConvNeXtOptions)
ANTLER_KEYWORD_FUNCTION(ConvNeXtSmall, ConvNeXtOptions)
ANTLER_KEYWORD_FUNCTION(ConvNeXtBase, ConvNeXtOptions)
ANTLER_KEYWORD_FUNCTION(ConvNeXtLarge, ConvNeXtOptions)
ANTLER_KEYWORD_FUNCTION(ConvNeXtXLarge, ConvNeXtOptions)

/// The names of all models above.
std::vector<std::string> names();
/// Builds a model by name. Case, "_" and "-" are ignored ("mobilenet_v2"). Throws ValueError for an
/// unknown name.
Model by_name(const std::string& name, const ApplicationOptions& options = {});
/// The preprocessing mode of a model for images in [0, 255]: "caffe", "tf" or "torch" (see
/// imagenet_utils.h), or "" if it is part of the model. Throws like by_name().
std::string preprocessing_mode(const std::string& name);

}  // namespace antler::applications
// NOLINTEND(readability-identifier-naming)
