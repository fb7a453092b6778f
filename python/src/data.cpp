#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "antler/base/error.h"
#include "antler/data/array_source.h"
#include "antler/data/data_source.h"
#include "antler/training/step_runner.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

/// Batches that a Python callable returns: [x, y, sample_weight], or None at the end of the pass.
/// The loop calls this without the interpreter's lock.
class PythonSource final : public DataSource {
 public:
  PythonSource(nb::object next_batch, nb::object reset)
      : next_batch_(std::move(next_batch)), reset_(std::move(reset)) {}
  ~PythonSource() override {
    const nb::gil_scoped_acquire gil;
    next_batch_.reset();
    reset_.reset();
  }
  PythonSource(const PythonSource&) = delete;
  PythonSource& operator=(const PythonSource&) = delete;

  int64_t num_batches() const override { return kUnknown; }
  void reset() override {
    const nb::gil_scoped_acquire gil;
    reset_();
    state_ = State::unknown;
  }
  bool peek(Nest& specs) override {
    if (!has_batch()) return false;
    specs = batch_.map([](const Tensor& leaf) {
      return leaf.defined() ? Tensor::spec_only(leaf.spec()) : Tensor();
    });
    reported_ = signature_;
    return true;
  }
  bool fill(std::span<void* const> buffers) override {
    if (!has_batch() || signature_ != reported_) return false;
    size_t next = 0;
    for (const Tensor& leaf : batch_.flatten()) {
      if (!leaf.defined()) continue;
      if (leaf.bytes() > 0) std::memcpy(buffers[next], leaf.data(), leaf.bytes());
      ++next;
    }
    state_ = State::unknown;
    return true;
  }
  int64_t signature() override {
    has_batch();
    reported_ = signature_;
    return signature_;
  }
  int64_t batch_rows() override {
    if (!has_batch()) return 0;
    for (const Tensor& leaf : batch_.flatten())
      if (leaf.defined() && leaf.rank() > 0) return leaf.dim(0);
    return 1;
  }

 private:
  enum class State : uint8_t { unknown, batch, end };

  /// Gets the next batch unless there is one already. False at the end.
  bool has_batch() {
    if (state_ == State::unknown) {
      const nb::gil_scoped_acquire gil;
      const nb::object next = next_batch_();
      state_ = next.is_none() ? State::end : State::batch;
      if (state_ == State::batch) accept(to_nest(next));
    }
    return state_ == State::batch;
  }
  void accept(Nest batch) {
    batch_ = std::move(batch);
    std::string key = batch_.structure();
    for (const Tensor& leaf : batch_.flatten()) {
      if (!leaf.defined()) {
        key += "|";
        continue;
      }
      if (!leaf.is_value()) throw TypeError("Batches must hold values, not symbolic tensors.");
      key += std::string("|") + dtype_name(leaf.dtype()) + leaf.shape().str();
    }
    signature_ = signatures_.emplace(key, static_cast<int64_t>(signatures_.size())).first->second;
  }

  nb::object next_batch_;
  nb::object reset_;
  State state_ = State::unknown;
  Nest batch_;
  std::map<std::string, int64_t> signatures_;
  int64_t signature_ = -1;
  int64_t reported_ = -1;
};

/// A copy, because the next step overwrites the buffers of the outputs.
Tensor copied(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape());
  if (copy.bytes() > 0) std::memcpy(copy.mutable_data(), tensor.data(), copy.bytes());
  return copy;
}

/// A StepRunner and the source that it reads. The caller must keep the Python object of the
/// function alive: the garbage collector would not see a reference from here.
class Runner {
 public:
  Runner(const Function& function, std::shared_ptr<DataSource> source)
      : source_(std::move(source)), runner_(function, *source_) {}

  std::pair<int64_t, Nest> run(int64_t n) {
    Nest outputs;
    const nb::gil_scoped_release unlocked;
    const int64_t steps = runner_.run(n, outputs);
    return {steps, std::move(outputs)};
  }
  std::vector<Nest> run_all(int64_t n) {
    std::vector<Nest> all;
    Nest outputs;
    const nb::gil_scoped_release unlocked;
    runner_.run(n, outputs, [&](const Nest& step) { all.push_back(step.map(copied)); });
    return all;
  }

 private:
  std::shared_ptr<DataSource> source_;
  StepRunner runner_;
};

}  // namespace

void bind_data(nb::module_& m) {
  nb::class_<DataSource>(m, "DataSource", "Batches of a training loop.")
      .def_prop_ro("num_batches", &DataSource::num_batches)
      .def(
          "reset",
          [](DataSource& source) {
            const nb::gil_scoped_release unlocked;
            source.reset();
          },
          "Starts the next pass.")
      .def(
          "batch_rows",
          [](DataSource& source) {
            const nb::gil_scoped_release unlocked;
            return source.batch_rows();
          },
          "Rows of the next batch; 0 at the end of the pass.");
  m.def(
      "array_source",
      [](const Nest& x, const Nest& y, const Nest& sample_weight, int64_t batch_size, bool shuffle,
         uint64_t seed,
         const std::map<int64_t, double>& class_weight) -> std::shared_ptr<DataSource> {
        return data::array_source(x, y, sample_weight,
                                  {.batch_size = batch_size,
                                   .shuffle = shuffle,
                                   .seed = seed,
                                   .class_weight = class_weight});
      },
      nb::arg("x"), nb::arg("y") = nb::none(), nb::arg("sample_weight") = nb::none(),
      nb::arg("batch_size") = 32, nb::arg("shuffle") = false, nb::arg("seed") = 0,
      nb::arg("class_weight") = std::map<int64_t, double>{});
  m.def(
      "python_source",
      [](nb::object next_batch, nb::object reset) -> std::shared_ptr<DataSource> {
        return std::make_shared<PythonSource>(std::move(next_batch), std::move(reset));
      },
      nb::arg("next_batch"), nb::arg("reset"));
  nb::class_<Runner>(m, "StepRunner", "Runs a function over the batches of a source.")
      .def(nb::init<const Function&, std::shared_ptr<DataSource>>(), nb::arg("function"),
           nb::arg("source"))
      .def("run", &Runner::run, nb::arg("n"),
           "Runs up to n steps; returns their number and the outputs of the last one.")
      .def("run_all", &Runner::run_all, nb::arg("n"), "The outputs of each of up to n steps.");
}

}  // namespace antler::python
