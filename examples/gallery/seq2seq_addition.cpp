// Sequence to sequence: one LSTM reads "37+85" character by character, another writes "122". The
// model is tested on sums that it has not seen.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

const std::string kCharacters = " +0123456789";
constexpr int64_t kQuestion = 5;
constexpr int64_t kAnswer = 3;

/// One-hot characters [texts, length, 12]; shorter texts are filled with spaces.
Tensor encode(const std::vector<std::string>& texts, int64_t length) {
  std::vector<int32_t> numbers;
  for (std::string text : texts) {
    text.resize(static_cast<size_t>(length), ' ');
    for (const char c : text) numbers.push_back(static_cast<int32_t>(kCharacters.find(c)));
  }
  const Tensor characters = Tensor::of(numbers, {static_cast<int64_t>(texts.size()), length});
  return ops::one_hot(characters, static_cast<int64_t>(kCharacters.size()));
}

std::string decode(const Tensor& characters) {
  std::string text;
  for (const int32_t c : characters.to_vector<int32_t>())
    text += kCharacters[static_cast<size_t>(c)];
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/40, [](int64_t epochs) {
    // All sums of two numbers below 100, in a random order. Questions are written backwards, which
    // brings the last digits closer to where they are needed (Sutskever et al. 2014).
    gallery::Random random(1);
    std::vector<int> sums(10000);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<int>(i);
    for (size_t i = sums.size(); i-- > 1;)
      std::swap(sums[i], sums[static_cast<size_t>(random.below(static_cast<int64_t>(i + 1)))]);
    std::vector<std::string> questions, answers;
    for (const int sum : sums) {
      std::string question = std::to_string(sum / 100) + "+" + std::to_string(sum % 100);
      question.resize(kQuestion, ' ');
      questions.emplace_back(question.rbegin(), question.rend());
      answers.push_back(std::to_string(sum / 100 + sum % 100));
    }
    const Tensor x = encode(questions, kQuestion);
    const Tensor y = encode(answers, kAnswer);
    const int64_t train = 8000;

    const int64_t width = static_cast<int64_t>(kCharacters.size());
    Sequential model({Input({kQuestion, width}), LSTM(128), RepeatVector(kAnswer),
                      LSTM(128, kw::return_sequences = true),
                      Dense(width, kw::activation = "softmax")});
    model.compile(optimizers::Adam(5e-3), "categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(x[Slice(train)], y[Slice(train)], kw::batch_size = 64, kw::epochs = epochs,
              kw::validation_data = {x[Slice(train, None)], y[Slice(train, None)]},
              kw::verbose = 2);

    const Tensor guess =
        ops::argmax(model.predict(x[Slice(train, None)], kw::verbose = 0), -1);  // [sums, kAnswer]
    const Tensor truth = ops::argmax(y[Slice(train, None)], -1);
    for (int64_t i = 0; i < 8; ++i) {
      const std::string& question = questions[static_cast<size_t>(train + i)];
      std::printf("%s = %s %s\n", std::string(question.rbegin(), question.rend()).c_str(),
                  decode(guess[i]).c_str(), decode(guess[i]) == decode(truth[i]) ? "" : "wrong");
    }
    const Tensor right = ops::all(guess == truth, 1);
    std::printf("sums not seen in training that are right: %.4f\n",
                ops::mean(ops::cast(right, "float32")).item());
  });
}
