// Knowledge distillation (Hinton et al. 2015): a small network learns from the outputs of a large
// one, in addition to a few labels. The model has a custom training step.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr double kTemperature = 3;

Sequential make_teacher() {
  return Sequential({Input({8, 8, 1}), Conv2D(32, 3, kw::padding = "same", kw::activation = "relu"),
                     Conv2D(64, 3, kw::padding = "same", kw::activation = "relu"), MaxPooling2D(2),
                     Flatten(), Dropout(0.4), Dense(128, kw::activation = "relu"), Dropout(0.4),
                     Dense(10)});
}

Sequential make_student() {
  return Sequential({Input({8, 8, 1}), Flatten(), Dense(12, kw::activation = "relu"), Dense(10)});
}

/// Trains the student on all images. A batch is images and labels; -1 stands for a missing label.
class Distiller : public Model {
 public:
  Distiller(const Sequential& student, const Sequential& teacher)
      : student_(track("student", student)), teacher_(teacher) {}
  Tensor call(const Tensor& x, const CallOptions& options) override { return student_(x, options); }

  Logs train_step(const Batch& batch) override {
    const Tensor soft = ops::softmax(teacher_(batch.x, kw::training = false) / kTemperature);
    GradientTape tape;
    const Tensor logits = student_(batch.x, kw::training = true);
    const Tensor labels_loss = label_loss_(batch.y, logits);
    const Tensor soft_loss = soft_loss_(soft, ops::softmax(logits / kTemperature));
    const Tensor loss = 0.3 * labels_loss + kTemperature * kTemperature * soft_loss;
    optimizer().minimize(loss, student_.trainable_variables(), tape);
    return {{"labels", labels_loss}, {"teacher", soft_loss}};
  }

 private:
  Sequential student_;
  Sequential teacher_;
  Loss label_loss_ =
      losses::SparseCategoricalCrossentropy(kw::from_logits = true, kw::ignore_class = -1);
  Loss soft_loss_ = losses::KLDivergence();
};

double test(Model model, const data::Split& data) {
  const Tensor guess = ops::argmax(model.predict(data.x, kw::verbose = 0), -1);
  return ops::mean(ops::cast(guess == data.y, "float32")).item();
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/60, [](int64_t epochs) {
    auto [train, test_data] = data::digits();
    const Loss loss = losses::SparseCategoricalCrossentropy(kw::from_logits = true);
    Sequential teacher = make_teacher();
    teacher.compile("adam", loss);
    teacher.fit(train.x, train.y, kw::epochs = epochs / 2 + 1, kw::verbose = 0);

    // The students get the labels of only 150 images.
    const Tensor x = train.x[Slice(150)];
    const Tensor y = train.y[Slice(150)];
    Sequential alone = make_student();
    alone.compile(optimizers::Adam(3e-3), loss);
    alone.fit(x, y, kw::epochs = 9 * epochs, kw::verbose = 0);  // as many steps

    Sequential student = make_student();
    Distiller distiller(student, teacher);
    distiller.compile(kw::optimizer = optimizers::Adam(3e-3));
    const Tensor labels =
        ops::where(ops::arange(train.y.dim(0)) < 150, train.y, ops::full_like(train.y, -1));
    distiller.fit(train.x, labels, kw::epochs = epochs, kw::verbose = 0);

    std::printf("parameters: teacher %lld, student %lld\n",
                static_cast<long long>(teacher.count_params()),
                static_cast<long long>(student.count_params()));
    std::printf("test accuracy: teacher %.4f, student alone %.4f, student with teacher %.4f\n",
                test(teacher, test_data), test(alone, test_data), test(student, test_data));
  });
}
