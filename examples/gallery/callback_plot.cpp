// A custom callback that draws the training curves so far in the terminal, and writes them to a
// file at the end.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

class LivePlot : public Callback {
 public:
  /// Draws after every `every` epochs.
  LivePlot(std::string path, int every) : path_(std::move(path)), every_(every) {}

  void on_train_begin(const Logs&) override { curves_.clear(); }
  void on_epoch_end(int epoch, const Logs& logs) override {
    for (const auto& [name, value] : logs) {
      io::LineChart::Series& curve = curves_[name];
      curve.name = name;
      curve.x.push_back(epoch + 1);
      curve.y.push_back(value);
    }
    if ((epoch + 1) % every_ == 0) std::printf("\n%s", chart("loss").to_terminal().c_str());
  }
  void on_train_end(const Logs&) override {
    gallery::save_chart(path_, {chart("loss"), chart("accuracy")});
  }

 private:
  /// A value and its `val_`.
  io::LineChart chart(const std::string& name) const {
    return {
        .title = name, .x_label = "epoch", .series = {curves_.at(name), curves_.at("val_" + name)}};
  }

  std::string path_;
  int every_;
  OrderedMap<io::LineChart::Series> curves_;
};

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/30, [](int64_t epochs) {
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}), Flatten(), Dense(128, kw::activation = "relu"),
                      Dropout(0.5), Dense(10, kw::activation = "softmax")});
    model.compile(optimizers::Adam(2e-3), "sparse_categorical_crossentropy",
                  kw::metrics = {"accuracy"});
    const History history = model.fit(train.x, train.y, kw::epochs = epochs, kw::verbose = 0,
                                      kw::validation_data = {test.x, test.y},
                                      kw::callbacks = {LivePlot("callback_plot.png", 10)});
    std::printf("validation accuracy: %.4f\n", history.history["val_accuracy"].back());
  });
}
