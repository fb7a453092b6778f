// Sentiment of short reviews. The vectorization is a layer of the model, which therefore takes
// strings. The reviews are generated; negations ("not good") reverse their meaning, so counting
// words is not enough: a convolution sees three words at once.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

using Words = std::vector<std::string>;

struct Reviews {
  StringTensor texts;
  Tensor labels;
};

Reviews make_reviews(int64_t count, unsigned seed) {
  const Words good = {"good", "wonderful", "moving", "funny", "clever", "beautiful", "exciting"};
  const Words bad = {"bad", "boring", "dull", "awful", "silly", "tiresome", "predictable"};
  const Words things = {"the film", "the story", "the acting", "the music", "the ending"};
  const Words degrees = {"", "really ", "quite ", "very "};
  gallery::Random random(seed);
  std::vector<std::string> texts;
  std::vector<float> labels;
  for (int64_t n = 0; n < count; ++n) {
    // Three statements; two or three of them agree with the label.
    const bool positive = random.chance(0.5);
    const int64_t exception = random.below(6);
    std::string text;
    for (int64_t i = 0; i < 3; ++i) {
      const bool praise = positive != (i == exception);
      const bool negated = random.chance(0.3);
      text += random.pick(things) + " was " + (negated ? "not " : "") + random.pick(degrees);
      text += random.pick(praise != negated ? good : bad) + (i < 2 ? ", " : ".");
    }
    texts.push_back(text);
    labels.push_back(positive ? 1.0F : 0.0F);
  }
  return {StringTensor(texts, {count, 1}), Tensor::of(labels, {count, 1})};
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/5, [](int64_t epochs) {
    const Reviews train = make_reviews(4000, 1);
    const Reviews test = make_reviews(1000, 2);
    TextVectorization vectorize(kw::output_sequence_length = 24);
    vectorize.adapt(train.texts);

    const Tensor text = Input({1}, kw::dtype = "string");
    Tensor x = Embedding(vectorize.vocabulary_size(), 16)(vectorize(text));
    x = Conv1D(32, 3, kw::padding = "same", kw::activation = "relu")(x);
    x = Dropout(0.3)(GlobalAveragePooling1D()(x));
    Model model(text, Dense(1, kw::activation = "sigmoid")(x));
    model.compile(optimizers::Adam(5e-3), "binary_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.texts, train.labels, kw::epochs = epochs, kw::validation_split = 0.1,
              kw::verbose = 2);

    const StringTensor own({"the film was not boring, the music was beautiful.",
                            "the story was not very clever, the ending was silly."},
                           {2, 1});
    const Tensor p = model.predict(own, kw::verbose = 0);
    for (size_t i = 0; i < own.values.size(); ++i)
      std::printf("%.2f  %s\n", p[static_cast<int64_t>(i)].item(), own.values[i].c_str());
    const HostLogs result = model.evaluate(test.texts, test.labels, kw::verbose = 0);
    std::printf("test accuracy: %.4f\n", result.at("accuracy"));
  });
}
