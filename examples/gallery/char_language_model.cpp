// A character language model on tinyshakespeare: a GRU predicts the next character, and writes some
// text after each epoch.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kLength = 64;  // characters of a training sequence, and of the context

/// Text and character numbers.
struct Alphabet {
  std::string characters;
  explicit Alphabet(const std::string& text) : characters(text) {
    std::sort(characters.begin(), characters.end());
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
  }
  int64_t size() const { return static_cast<int64_t>(characters.size()); }
  std::vector<int32_t> encode(const std::string& text) const {
    std::vector<int32_t> numbers;
    for (const char c : text) numbers.push_back(static_cast<int32_t>(characters.find(c)));
    return numbers;
  }
};

/// Writes after each epoch.
class Writer : public Callback {
 public:
  explicit Writer(Alphabet alphabet) : alphabet_(std::move(alphabet)) {}
  void on_epoch_end(int epoch, const Logs& logs) override {
    std::vector<int32_t> text = alphabet_.encode(std::string(kLength, '\n'));
    for (int i = 0; i < 160; ++i) {
      const Tensor context(
          Tensor::of(std::vector<int32_t>(text.end() - kLength, text.end()), {1, kLength}));
      const Tensor logits = model->predict_on_batch(context).tensor()[{Slice(), -1}];
      // Dividing by less than 1 makes likely characters more likely.
      text.push_back(random::categorical(logits / 0.7, 1).item<int32_t>());
    }
    std::printf("\n--- epoch %d, loss %.3f\n", epoch + 1, logs.at("loss"));
    for (size_t i = kLength; i < text.size(); ++i)
      std::putchar(alphabet_.characters[static_cast<size_t>(text[i])]);
    std::putchar('\n');
  }

 private:
  Alphabet alphabet_;
};

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/12, [](int64_t epochs) {
    const std::string text =
        read_file(gallery::dataset("tinyshakespeare/input.txt",
                                   "Any text will do; this one is at "
                                   "https://raw.githubusercontent.com/karpathy/char-rnn/master/"
                                   "data/tinyshakespeare/input.txt."));
    const Alphabet alphabet(text);
    const Tensor numbers = Tensor::of(alphabet.encode(text));
    // The target of each character is the next one. The last 5 % of the rows are for validation.
    const int64_t rows = numbers.dim(0) / kLength - 1;
    const int64_t train_rows = rows * 19 / 20;
    const Tensor x = numbers[Slice(rows * kLength)].reshape({rows, kLength});
    const Tensor y = numbers[Slice(1, rows * kLength + 1)].reshape({rows, kLength});

    Sequential model({Input({kLength}, kw::dtype = "int32"), Embedding(alphabet.size(), 64),
                      GRU(192, kw::return_sequences = true), Dense(alphabet.size())});
    model.compile(optimizers::Adam(4e-3, kw::clipnorm = 1.0),
                  losses::SparseCategoricalCrossentropy(kw::from_logits = true));
    // An epoch is 100 batches.
    model.fit(data::Dataset::from_tensor_slices(x[Slice(train_rows)], y[Slice(train_rows)])
                  .shuffle(20000)
                  .repeat()
                  .batch(64),
              kw::epochs = epochs, kw::steps_per_epoch = 100, kw::verbose = 0,
              kw::callbacks = {Writer(alphabet)});
    const double loss =
        model.evaluate(x[Slice(train_rows, None)], y[Slice(train_rows, None)], kw::verbose = 0)
            .at("loss");
    std::printf("\nvalidation loss: %.3f, %.2f bits per character\n", loss, loss / std::log(2.0));
  });
}
