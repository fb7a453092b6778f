#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layers.h"
#include "antler/nn/layers/vocabulary.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/runtime/function.h"
#include "nn/layers/preprocessing_cases.h"

// Expected numbers are those of Keras 3.15 with TensorFlow.
namespace antler {
namespace {

using test::PreprocessingCase;

class Preprocessing : public testing::TestWithParam<PreprocessingCase> {};

TEST_P(Preprocessing, ConfigurationMakesAnEqualLayer) {
  const PreprocessingCase& c = GetParam();
  const LayerPtr layer = layer_from_config(c.class_name, c.config);
  const Json config = layer->get_config();
  EXPECT_EQ(layer_from_config(c.class_name, config)->get_config().dump(), config.dump());
  for (const auto& [key, value] : c.config.items()) EXPECT_TRUE(config.contains(key)) << key;
}

TEST_P(Preprocessing, ShapesAreThoseOfPlaceholders) {
  const PreprocessingCase& c = GetParam();
  if (!c.input.defined()) GTEST_SKIP() << "takes texts or several inputs";
  const LayerPtr layer = layer_from_config(c.class_name, c.config);
  const Tensor direct = (*layer)(c.input, {.training = true});
  EXPECT_EQ(direct.shape(), c.output);
  for (const double v : ops::cast(direct, DType::float32).to_doubles()) {
    ASSERT_TRUE(std::isfinite(v));
  }
  const Tensor placeholder = Input(Shape(c.input.shape().begin() + 1, c.input.shape().end()),
                                   {.dtype = dtype_name(c.input.dtype())});
  const Tensor output = (*layer)(placeholder, {.training = true});
  Shape expected = c.output;
  expected[0] = Shape::kUnknown;
  EXPECT_EQ(output.shape(), expected);
  EXPECT_EQ(output.dtype(), direct.dtype());
}

TEST_P(Preprocessing, TracedCallsGiveTheSame) {
  const PreprocessingCase& c = GetParam();
  if (!c.input.defined() || c.random) GTEST_SKIP() << "cannot be compared";
  const LayerPtr layer = layer_from_config(c.class_name, c.config);
  const Tensor direct = (*layer)(c.input, {.training = true});
  const Tensor placeholder = Input(Shape(c.input.shape().begin() + 1, c.input.shape().end()),
                                   {.dtype = dtype_name(c.input.dtype())});
  const FunctionalGraph graph(placeholder, (*layer)(placeholder, {.training = true}));
  const Tensor ran = graph.run(c.input).tensor();
  const std::vector<double> a = ops::cast(direct, DType::float64).to_doubles();
  const std::vector<double> b = ops::cast(ran, DType::float64).to_doubles();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-3) << i;
}

INSTANTIATE_TEST_SUITE_P(Layers, Preprocessing, testing::ValuesIn(test::preprocessing_cases()),
                         [](const auto& info) { return info.param.class_name; });

struct Figures {
  const char* class_name;
  Json config;
  std::vector<double> first;
  double sum;
};

void PrintTo(const Figures& f, std::ostream* out) { *out << f.class_name; }

class ImageFigures : public testing::TestWithParam<Figures> {};

TEST_P(ImageFigures, AreKeras) {
  const Figures& f = GetParam();
  const Tensor x = test::preprocessing_cases()[8].input;
  const Tensor y = (*layer_from_config(f.class_name, f.config))(x, {.training = true});
  const std::vector<double> values = y.to_doubles();
  double sum = 0;
  for (const double v : values) sum += v;
  for (size_t i = 0; i < f.first.size(); ++i) EXPECT_NEAR(values[i], f.first[i], 0.01) << i;
  EXPECT_NEAR(sum, f.sum, 0.05 + 1e-5 * std::abs(f.sum));
}

INSTANTIATE_TEST_SUITE_P(
    Layers, ImageFigures,
    testing::Values(
        Figures{"RandomRotation",
                {{"factor", {0.15, 0.15}}, {"fill_mode", "wrap"}},
                {87.708, 85.092, 141.092, 77.661},
                7461.16},
        Figures{"RandomRotation",
                {{"factor", {-0.2, -0.2}},
                 {"fill_mode", "constant"},
                 {"fill_value", 9.0},
                 {"interpolation", "nearest"}},
                {9, 9, 9, 9, 9, 9, 176, 232, 40},
                5748},
        Figures{"RandomTranslation",
                {{"height_factor", {0.3, 0.3}}, {"width_factor", {-0.6, -0.6}}},
                {69.6, 125.6, 132, 96},
                6963.2},
        Figures{"RandomZoom",
                {{"height_factor", {-0.4, -0.4}}, {"fill_mode", "wrap"}},
                {122.56, 178.56, 125.44, 94.4},
                6864},
        Figures{"RandomHue", {{"factor", {0.0, 0.0}}}, {0, 56, 112, 168}, 7112},
        Figures{"RandomSaturation",
                {{"factor", {0.7, 0.7}}},
                {-149.333, -18.667, 112, 93.333},
                1458.67},
        Figures{
            "RandomSharpness", {{"factor", {0.9, 0.9}}}, {0, 46.154, 149.908, 227.569}, 7947.05},
        Figures{"RandomPosterization", {{"factor", {3, 3}}}, {0, 32, 96, 160}, 6400},
        Figures{
            "RandomColorDegeneration", {{"factor", {0.5, 0.5}}}, {22.82, 50.82, 78.82}, 6994.56},
        Figures{"RandomBrightness", {{"factor", {-0.3, -0.3}}}, {0, 0, 35.5, 91.5}, 3332},
        Figures{"RandomInvert", {{"factor", {1.0, 1.0}}}, {255, 199, 143}, 8188},
        Figures{"Equalization", Json::object(), {0, 54, 94, 174, 228, 0}, 7650},
        Figures{"ContrastLimitedAdaptiveHistogramEqualization",
                {{"tile_grid_size", {2, 3}}},
                {0, 54.73, 113.458, 170.867},
                7211.09},
        Figures{"AutoContrast", Json::object(), {0, 59.5, 98.077, 198.333}, 7462.35},
        Figures{"Resizing",
                {{"height", 3}, {"width", 7}, {"interpolation", "bicubic"}},
                {43.073, 99.073, 86.352, 84.491},
                7412.84},
        Figures{"Resizing",
                {{"height", 3}, {"width", 2}, {"interpolation", "bicubic"}, {"antialias", true}},
                {100.834, 160.334, 103.197},
                2149.46},
        Figures{"Resizing",
                {{"height", 7}, {"width", 3}, {"interpolation", "nearest"}},
                {0, 56, 112, 88, 144, 200},
                7384},
        Figures{"CenterCrop", {{"height", 6}, {"width", 3}}, {168, 224, 32, 128}, 6655}),
    [](const auto& info) {
      return std::string(info.param.class_name) + std::to_string(info.index);
    });

TEST(Spectrograms, MelBands) {
  std::vector<float> signal;
  signal.reserve(64);
  for (int i = 0; i < 64; ++i) signal.push_back(std::sin(0.7F * static_cast<float>(i)));
  MelSpectrogram layer({.fft_length = 32,
                        .sequence_stride = 8,
                        .sequence_length = 24,
                        .sampling_rate = 200,
                        .num_mel_bins = 4,
                        .min_freq = 5});
  const std::vector<double> y = layer(Tensor::of(signal, {1, 64})).to_doubles();
  const std::vector<double> expected = {14.0913, 17.3404, 17.4671, 17.4668,
                                        17.4656, 17.4654, 17.4665, 17.1512};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y[i], expected[i], 2e-3) << i;
}

TEST(Spectrograms, BadArguments) {
  EXPECT_THROW(STFTSpectrogram({.frame_length = 8, .frame_step = 10}), ValueError);
  EXPECT_THROW(STFTSpectrogram({.window = "x"}), ValueError);
  EXPECT_THROW(STFTSpectrogram({.scaling = "x"}), ValueError);
  EXPECT_NO_THROW(STFTSpectrogram({.window = {}, .scaling = {}}));
}

TEST(NormalizationLayer, LearnsMeanAndVariance) {
  Normalization layer;
  layer.adapt({Tensor::of<float>({1, 10, 3, 10}, {2, 2}), Tensor::of<float>({5, 40}, {1, 2})});
  EXPECT_EQ(layer.mean().to_doubles(), (std::vector<double>{3, 20}));
  const std::vector<double> variance = layer.variance().to_doubles();
  EXPECT_NEAR(variance[0], 8.0 / 3, 1e-5);
  EXPECT_NEAR(variance[1], 200, 1e-3);
  EXPECT_THROW(layer.adapt(Tensor::of<float>({1, 2, 3}, {1, 3})), ValueError);
  EXPECT_THROW(Normalization({.mean = 1.0}), ValueError);
}

TEST(NormalizationLayer, TakesItsAxesAsANumberAListOrNone) {
  const Tensor x = Tensor::of<float>({1, 10, 3, 10}, {2, 2});
  Normalization rows({.axis = 0});
  rows.adapt(x);
  EXPECT_EQ(rows.mean().to_doubles(), (std::vector<double>{5.5, 6.5}));
  Normalization cells({.axis = {0, 1}});
  cells.adapt(x);
  EXPECT_EQ(ops::reshape(cells.mean(), {-1}).to_doubles(), x.reshape({-1}).to_doubles());
  Normalization whole({.axis = {}});
  whole.adapt(x);
  EXPECT_EQ(whole.mean().item(), 6);
}

TEST(DiscretizationLayer, LearnsBoundaries) {
  Discretization layer({.num_bins = 3});
  EXPECT_THROW(layer.bin_boundaries(), ValueError);
  layer.adapt(Tensor::of<float>({1, 5, 2, 8, 3, 9, 4, 7, 6, 0, 2.5F}));
  ASSERT_EQ(layer.bin_boundaries().size(), 2U);
  EXPECT_NEAR(layer.bin_boundaries()[0], 2.3333333, 1e-5);
  EXPECT_NEAR(layer.bin_boundaries()[1], 5.3333335, 1e-5);
  EXPECT_EQ(layer(Tensor::of<float>({0, 3, 9})).to_vector<int32_t>(),
            (std::vector<int32_t>{0, 1, 2}));
  Discretization copy = Discretization::from_config(layer.get_config());
  EXPECT_EQ(copy.get_config(), layer.get_config());  // both num_bins and bin_boundaries
  copy.adapt(Tensor::of<float>({0, 1, 2, 3, 4, 5}));
  EXPECT_NE(copy.bin_boundaries(), layer.bin_boundaries());
  Discretization halves({.num_bins = 2});
  halves.adapt(Tensor::of<float>({3, NAN, 0, 2, NAN, 1}));
  EXPECT_EQ(halves.bin_boundaries(), std::vector<double>{2});
}

TEST(Lookups, IntegersByFrequency) {
  IntegerLookup layer({.output_mode = "tf_idf"});
  EXPECT_THROW(layer(Tensor::of<int64_t>({1}, {1, 1})), RuntimeError);
  layer.adapt(Tensor::of<int64_t>({1, 2, 2, 2, 3, 3}, {2, 3}));
  EXPECT_EQ(layer.get_vocabulary(), (std::vector<int64_t>{-1, 2, 3, 1}));
  const std::vector<double> y = layer(Tensor::of<int64_t>({1, 2, 9}, {1, 3})).to_doubles();
  const std::vector<double> expected = {0.6323733, 0.5108256, 0, 0.6931472};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-6);
}

// As in Keras 3.15.
TEST(Lookups, NeedAVocabularyWhenTheyRun) {
  const Tensor words = {"a", "b"};
  const Tensor numbers = Tensor::of<int64_t>({1, 2}, {2});
  EXPECT_THROW(StringLookup()(words), RuntimeError);
  EXPECT_THROW(StringLookup({.num_oov_indices = 0})(words), RuntimeError);
  EXPECT_THROW(StringLookup({.invert = true})(numbers), RuntimeError);
  EXPECT_THROW(IntegerLookup()(numbers), RuntimeError);
  EXPECT_THROW(TextVectorization()(words), RuntimeError);
  // A graph may be made before adapt().
  StringLookup lookup;
  const Tensor in = Input({}, {.dtype = "string"});
  const FunctionalGraph graph(in, lookup(in));
  EXPECT_THROW(graph.run(words), RuntimeError);
  lookup.adapt(words);
  EXPECT_EQ(graph.run(words).tensor().to_doubles(), (std::vector<double>{2, 1}));
}

TEST(Lookups, UnknownTextsAreHashed) {
  StringLookup layer({.num_oov_indices = 3, .vocabulary = {{"a", "b"}}, .salt = {7}});
  EXPECT_EQ(layer(StringTensor({"a", "q", "zz", "b", ""})).to_vector<int64_t>(),
            (std::vector<int64_t>{3, 0, 2, 4, 1}));
  StringLookup strict({.num_oov_indices = 0, .vocabulary = {{"a"}}});
  EXPECT_THROW(strict(StringTensor({"x"})), ValueError);
  EXPECT_THROW(StringLookup({.vocabulary = {{"a", "a"}}}), ValueError);
}

TEST(HashingLayer, SaltIsANumberOrTwo) {
  const auto salt = [](const Json& value) {
    return layer_from_config("Hashing", {{"num_bins", 3}, {"salt", value}})->get_config()["salt"];
  };
  EXPECT_EQ(salt(5), Json({5, 5}));
  EXPECT_EQ(salt({5, 6}), Json({5, 6}));
  EXPECT_THROW(salt(Json::array({1})), ValueError);
  EXPECT_THROW(salt(Json::array()), ValueError);
}

TEST(Lookups, TextsOfIndices) {
  StringLookup layer({.vocabulary = {{"a", "b"}}, .invert = true});
  EXPECT_EQ(layer.call_to_strings(Tensor::of<int64_t>({1, 2, 0, 9})).values,
            (std::vector<std::string>{"a", "b", "[UNK]", "[UNK]"}));
}

TEST(Lookups, VocabularyOfAFile) {
  const auto path = (std::filesystem::temp_directory_path() / "antler_vocabulary.txt").string();
  std::ofstream(path) << "good\r\n\nbad film\n\n";
  const std::vector<std::string> tokens = read_vocabulary(path);
  std::filesystem::remove(path);
  EXPECT_EQ(tokens, (std::vector<std::string>{"good", "", "bad film"}));
  StringLookup layer({.vocabulary = tokens});
  EXPECT_EQ(layer(StringTensor({"bad film", "x"})).to_vector<int64_t>(),
            (std::vector<int64_t>{3, 0}));
  EXPECT_THROW(read_vocabulary(path), NotFoundError);
}

TEST(TextVectorizationLayer, NgramsAndFilling) {
  TextVectorization layer({.ngrams = {2}});
  layer.adapt(StringTensor({"a b c", "a b d"}));
  EXPECT_EQ(layer.get_vocabulary(), (std::vector<std::string>{"", "[UNK]", "a b", "b d", "b c"}));
  const Tensor y = layer(StringTensor({"a b c d", "x"}));
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(y.to_vector<int64_t>(), (std::vector<int64_t>{2, 4, 1, 0, 0, 0}));
  EXPECT_THROW(TextVectorization({.ragged = true}), ValueError);
  // A layer made from the configuration knows what was learned.
  const LayerPtr copy = layer_from_config("TextVectorization", layer.get_config());
  auto* vectorizer = dynamic_cast<TextVectorization*>(copy.get());
  ASSERT_NE(vectorizer, nullptr);
  EXPECT_EQ(vectorizer->get_vocabulary(), layer.get_vocabulary());
}

// The values are Keras 3's.
TEST(TextVectorizationLayer, WithoutSplitAVectorIsOneSample) {
  const StringTensor vector({"The cat sat", "the cat"});
  const StringTensor column({"The cat sat", "the cat"}, {2, 1});
  const StringTensor pairs({"The cat sat", "the cat", "dog", ""}, {2, 2});
  const auto expect = [](TextVectorizationOptions o, const StringTensor& x, const Shape& shape,
                         const std::vector<double>& values) {
    o.split = {};
    o.vocabulary = {{"the cat", "dog"}};
    TextVectorization layer(o);
    auto program = tf::function([layer](const Tensor& t) { return TextVectorization(layer)(t); });
    for (const Tensor& y : {layer(x), program(string_handles(x)).tensor()}) {
      EXPECT_EQ(y.shape(), shape) << o.output_mode;
      EXPECT_EQ(y.to_doubles(), values) << o.output_mode;
    }
  };
  expect({}, vector, {2}, {1, 2});
  expect({.output_sequence_length = 4}, vector, {4}, {1, 2, 0, 0});
  expect({.output_sequence_length = 1}, vector, {1}, {1});
  expect({.ngrams = 2}, vector, {3}, {1, 2, 1});
  expect({.ngrams = 2, .output_sequence_length = 5}, vector, {5}, {1, 2, 1, 0, 0});
  expect({.output_mode = "count"}, vector, {3}, {1, 1, 0});
  expect({.ngrams = 2, .output_mode = "count"}, vector, {3}, {2, 1, 0});
  expect({.output_mode = "multi_hot"}, vector, {3}, {1, 1, 0});
  expect({.output_mode = "one_hot"}, vector, {2, 3}, {1, 0, 0, 0, 1, 0});
  expect({.output_mode = "tf_idf", .idf_weights = {{0.5, 0.25}}}, vector, {3}, {0.375, 0.5, 0});
  expect({.output_sequence_length = 4}, column, {2, 4}, {1, 0, 0, 0, 2, 0, 0, 0});
  expect({.output_mode = "count"}, column, {2, 3}, {1, 0, 0, 0, 1, 0});
  expect({.ngrams = {2}, .output_mode = "multi_hot"}, column, {2, 3}, {0, 0, 0, 0, 0, 0});
  expect({.ngrams = 2, .output_sequence_length = 5}, pairs, {2, 5}, {1, 2, 1, 0, 0, 3, 0, 1, 0, 0});
  expect({.ngrams = 2, .output_mode = "count"}, pairs, {2, 3}, {2, 1, 0, 1, 0, 1});
  EXPECT_THROW(TextVectorization({.split = {}, .ngrams = 2})(StringTensor({"a"}, {})), ValueError);
  // For adapt(), each string of a vector is a document.
  TextVectorization learned({.split = {}, .ngrams = 2, .output_mode = "tf_idf"});
  const StringTensor texts({"a", "b", "a", "c d"});
  learned.adapt(texts);
  EXPECT_EQ(learned.get_vocabulary(), (std::vector<std::string>{"[UNK]", "a", "c d", "b"}));
  const std::vector<double> weighed = learned(texts).to_doubles();
  const std::vector<double> expected = {3.044523, 1.694596, 1.098612, 1.098612};
  ASSERT_EQ(weighed.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(weighed[i], expected[i], 1e-5);
}

TEST(HashedCrossingLayer, NumbersAndTexts) {
  HashedCrossing layer(1000);
  const Nest y = layer(Nest(Tensors{Tensor::of<int64_t>({1, 5}), Tensor::of<int64_t>({2, 9})}));
  EXPECT_EQ(y.tensor().to_vector<int64_t>(), (std::vector<int64_t>{357, 290}));
  EXPECT_EQ(
      layer.call_strings({StringTensor({"a", "b"}), StringTensor({"c", "d"})}).to_vector<int64_t>(),
      (std::vector<int64_t>{566, 454}));
}

TEST(ImageLayers, NothingHappensOutsideOfTraining) {
  for (const PreprocessingCase& c : test::preprocessing_cases()) {
    if (!c.class_name.starts_with("Random") || !c.input.defined()) continue;
    const Tensor y = (*layer_from_config(c.class_name, c.config))(c.input, {.training = false});
    EXPECT_EQ(y.to_doubles(), c.input.to_doubles()) << c.class_name;
  }
}

TEST(ImageLayers, ChannelsFirstIsTheSamePicture) {
  const Tensor x = test::preprocessing_cases()[8].input;
  const Json factor = {{"factor", {0.15, 0.15}}};
  Json first = factor;
  first["data_format"] = "channels_first";
  const Tensor y = (*layer_from_config("RandomRotation", factor))(x, {.training = true});
  const Tensor moved = ops::cast(x, DType::float32);
  const Tensor z = (*layer_from_config("RandomRotation", first))(
      ops::transpose(moved, {0, 3, 1, 2}), {.training = true});
  EXPECT_EQ(ops::transpose(z, {0, 2, 3, 1}).to_doubles(), y.to_doubles());
}

TEST(ImageLayers, RandomSizes) {
  const Tensor x = test::preprocessing_cases()[8].input;
  EXPECT_EQ(RandomHeight({0.5, 0.5})(x, {.training = true}).shape(), (Shape{1, 7, 4, 3}));
  EXPECT_EQ(RandomWidth({-0.5, -0.5})(x, {.training = true}).shape(), (Shape{1, 5, 2, 3}));
  EXPECT_EQ(RandomWidth(0.5)(x, {.training = false}).to_doubles(), x.to_doubles());
  RandomHeight wide(0.4, {.seed = 3});
  for (int i = 0; i < 20; ++i) {
    const int64_t height = wide(x, {.training = true}).dim(1);
    EXPECT_TRUE(height >= 3 && height <= 7) << height;
  }
  EXPECT_THROW(wide(Input({5, 4, 3}), {.training = true}), ValueError);
  EXPECT_THROW(RandomHeight({0.3, 0.1}), ValueError);
  EXPECT_THROW(RandomWidth({-1.5, 0.1}), ValueError);
  try {
    RandomWidth(0.1, {.interpolation = "cubic"});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("layer RandomWidth."), std::string::npos)
        << error.what();
  }
}

TEST(ImageLayers, IntegersThatPassStayIntegers) {
  const Tensor x = ops::cast(test::preprocessing_cases()[8].input, DType::int32);
  const auto dtype = [&](const char* name, const Json& config, bool training) {
    return (*layer_from_config(name, config))(x, {.training = training}).dtype();
  };
  const Json factor = {{"factor", 0.3}};
  EXPECT_EQ(dtype("RandomBrightness", factor, false), DType::int32);
  EXPECT_EQ(dtype("RandomBrightness", factor, true), DType::int32);
  EXPECT_EQ(dtype("RandomHue", factor, false), DType::int32);
  EXPECT_EQ(dtype("RandomHue", factor, true), DType::float32);
  EXPECT_EQ(dtype("RandomSharpness", factor, false), DType::float32);
}

// Between two integers, the last bit of the weights decides.
TEST(ImageLayers, ResizingOfIntegersRoundsAsInFloat) {
  const Tensor row = Tensor::of<int32_t>({122, 195, 116, 162, 232, 85, 216, 139}, {1, 1, 8, 1});
  EXPECT_EQ(Resizing(1, 7)(row).to_vector<int32_t>(),
            (std::vector<int32_t>{127, 178, 132, 197, 137, 188, 144}));
  const Tensor other = Tensor::of<int32_t>({93, 110, 21, 154, 135, 127, 121, 177}, {1, 1, 8, 1});
  EXPECT_EQ(Resizing(1, 7)(other).to_vector<int32_t>(),
            (std::vector<int32_t>{94, 91, 69, 144, 130, 122, 173}));
}

TEST(ImageLayers, BrightnessOfIntegersChangesByAWholeNumber) {
  const Tensor x = Tensor::of<int32_t>({178, 10, 250, 0}, {1, 2, 2, 1});
  const auto y = [&](double factor, const Tensor& images) {
    return RandomBrightness({factor, factor})(images, {.training = true});
  };
  // 0.25 x 255 = 63.75: Keras adds 63.
  EXPECT_EQ(y(-0.25, x).to_doubles(), (std::vector<double>{115, 0, 187, 0}));
  EXPECT_EQ(y(0.25, x).to_doubles(), (std::vector<double>{241, 73, 255, 63}));
  EXPECT_EQ(y(0.25, ops::cast(x, DType::uint8)).to_doubles(),
            (std::vector<double>{241, 73, 255, 63}));
  EXPECT_EQ(y(-0.25, ops::cast(x, DType::float32)).to_doubles()[0], 114.25);
}

TEST(ImageLayers, NearestPixelOfAQuarterTurn) {
  // Places lie a rounding error below a half; adding a half first would give the pixel above.
  std::vector<float> values(20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor x = Tensor::of(values, {1, 4, 5, 1});
  const Tensor y = RandomRotation(
      {-0.25, -0.25}, {.fill_mode = "nearest", .interpolation = "nearest"})(x, {.training = true});
  EXPECT_EQ(y.to_doubles(), (std::vector<double>{16, 15, 10, 5, 0, 17, 17, 12, 6, 1,
                                                 18, 18, 13, 8, 3, 19, 19, 9,  3, 3}));
}

TEST(ImageLayers, BadArguments) {
  EXPECT_THROW(RandomContrast(2.0), ValueError);
  EXPECT_THROW(RandomRotation(0.1, {.fill_mode = "mirror"}), NotImplementedError);
  EXPECT_THROW(RandomRotation(2.0, {.fill_mode = "mirror"}), ValueError);
  EXPECT_THROW(RandomRotation({0.1, 0.2, 0.3}, {.fill_mode = "mirror"}), ValueError);
  EXPECT_THROW(RandomTranslation(2.0, 0.1, {.interpolation = "cubic"}), ValueError);
  EXPECT_THROW(RandomZoom(2.0, {.fill_mode = "mirror"}), ValueError);
  EXPECT_THROW(Resizing(0, 3), ValueError);
  EXPECT_THROW(Resizing(3, 3, {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}),
               ValueError);
}

}  // namespace
}  // namespace antler
