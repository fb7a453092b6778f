#pragma once

#include <string>
#include <vector>

#include "antler/applications/options.h"
#include "antler/training/model.h"

/// The models of keras.applications: functional models with Keras's layers, names and order of
/// weights, so that its files fit. Images are [batch, height, width, channels].
///
///     Model model = applications::ResNet50();             // with the weights of ImageNet
///     Model body = applications::MobileNetV2({.input_shape = Shape{96, 96, 3},
///                                             .include_top = false,
///                                             .weights = "mine.weights.h5",
///                                             .pooling = "avg"});
///
/// All throw ValueError for `weights` that are neither "imagenet" nor a file, for other than 1000
/// classes or another activation than softmax or none with weights of ImageNet, for an unknown
/// `pooling`, and for an `input_shape` that is not of rank 3, below the smallest size, or not fully
/// known where there is a top; and what utils::get_file() and Model::load_weights() throw.
// Keras's names.
// NOLINTBEGIN(readability-identifier-naming)
namespace antler::applications {

/// He et al. 2015 (arXiv 1512.03385): 224 x 224, at least 32 x 32.
Model ResNet50(const ApplicationOptions& options = {});
Model ResNet101(const ApplicationOptions& options = {});
Model ResNet152(const ApplicationOptions& options = {});
/// He et al. 2016 (arXiv 1603.05027): 224 x 224, at least 32 x 32.
Model ResNet50V2(const ApplicationOptions& options = {});
Model ResNet101V2(const ApplicationOptions& options = {});
Model ResNet152V2(const ApplicationOptions& options = {});
/// Simonyan and Zisserman 2014 (arXiv 1409.1556): 224 x 224, at least 32 x 32.
Model VGG16(const ApplicationOptions& options = {});
Model VGG19(const ApplicationOptions& options = {});
/// Howard et al. 2017 (arXiv 1704.04861): 224 x 224, at least 32 x 32.
Model MobileNet(const MobileNetOptions& options = {});
/// Sandler et al. 2018 (arXiv 1801.04381): 224 x 224, at least 32 x 32.
Model MobileNetV2(const MobileNetV2Options& options = {});
/// Howard et al. 2019 (arXiv 1905.02244): any size of at least 32 x 32, trained on 224 x 224.
Model MobileNetV3Small(const MobileNetV3Options& options = {});
Model MobileNetV3Large(const MobileNetV3Options& options = {});
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
/// Tan and Le 2021 (arXiv 2104.00298): 224, 240, 260, 300, 384, 480, 480 squared, at least 32 x 32.
Model EfficientNetV2B0(const EfficientNetV2Options& options = {});
Model EfficientNetV2B1(const EfficientNetV2Options& options = {});
Model EfficientNetV2B2(const EfficientNetV2Options& options = {});
Model EfficientNetV2B3(const EfficientNetV2Options& options = {});
Model EfficientNetV2S(const EfficientNetV2Options& options = {});
Model EfficientNetV2M(const EfficientNetV2Options& options = {});
Model EfficientNetV2L(const EfficientNetV2Options& options = {});
/// Huang et al. 2016 (arXiv 1608.06993): 224 x 224, at least 32 x 32.
Model DenseNet121(const ApplicationOptions& options = {});
Model DenseNet169(const ApplicationOptions& options = {});
Model DenseNet201(const ApplicationOptions& options = {});
/// Szegedy et al. 2015 (arXiv 1512.00567): 299 x 299, at least 75 x 75.
Model InceptionV3(const ApplicationOptions& options = {});
/// Szegedy et al. 2016 (arXiv 1602.07261): 299 x 299, at least 75 x 75.
Model InceptionResNetV2(const ApplicationOptions& options = {});
/// Chollet 2016 (arXiv 1610.02357): 299 x 299, at least 71 x 71.
Model Xception(const ApplicationOptions& options = {});
/// Zoph et al. 2017 (arXiv 1707.07012): 224 x 224 and 331 x 331, at least 32 x 32. The mobile one
/// has its own size without top, too, where none is given.
Model NASNetMobile(const ApplicationOptions& options = {});
Model NASNetLarge(const ApplicationOptions& options = {});
/// Liu et al. 2022 (arXiv 2201.03545): 224 x 224, at least 32 x 32.
Model ConvNeXtTiny(const ConvNeXtOptions& options = {});
Model ConvNeXtSmall(const ConvNeXtOptions& options = {});
Model ConvNeXtBase(const ConvNeXtOptions& options = {});
Model ConvNeXtLarge(const ConvNeXtOptions& options = {});
Model ConvNeXtXLarge(const ConvNeXtOptions& options = {});

/// Keras's names of all functions above.
std::vector<std::string> names();
/// The model of such a name, in any case and with any "_" and "-" between ("mobilenet_v2"). Throws
/// ValueError for an unknown name, which lists all.
Model by_name(const std::string& name, const ApplicationOptions& options = {});
/// What images of numbers from 0 to 255 need before that model: "caffe", "tf" or "torch" (see
/// imagenet_utils.h), or "" where the model does it itself. Throws as by_name().
std::string preprocessing_mode(const std::string& name);

}  // namespace antler::applications
// NOLINTEND(readability-identifier-naming)
