#include "antler/distribute/distribution.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/distribute/initialize.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

/// The layout, without the axis "batch" if the rows of a tensor do not divide evenly along it, as
/// in the last batch of an epoch.
distribution::TensorLayout for_rows(const distribution::TensorLayout& layout, const Shape& shape,
                                    const std::string& batch_axis) {
  const auto& mesh = layout.device_mesh();
  if (!mesh || !mesh->has_axis(batch_axis)) return layout;
  std::vector<distribution::TensorLayout::Axis> axes = layout.axes();
  const int64_t parts = mesh->axis_size(batch_axis);
  const size_t rank = std::min(axes.size(), static_cast<size_t>(shape.rank()));
  for (size_t d = 0; d < rank; ++d) {
    const int64_t rows = shape[static_cast<int>(d)];
    if (axes[d] == batch_axis && (rows == 0 || rows % parts != 0)) axes[d].reset();
  }
  return distribution::TensorLayout(std::move(axes), mesh);
}

}  // namespace

void bind_distribution(nb::module_& m) {
  using nb::literals::operator""_a;
  using distribution::DeviceMesh;
  using distribution::TensorLayout;
  m.def("list_devices", &distribution::list_devices, "device_type"_a = "",
        "The virtual CPU devices of this process; ANTLER_CPU_DEVICES sets their number.");
  m.def("set_cpu_devices", &distribution::set_cpu_devices, "count"_a);
  m.def(
      "initialize_processes",
      [](const std::optional<std::string>& job_addresses, std::optional<int64_t> num_processes,
         std::optional<int64_t> process_id) {
        distribution::initialize({.job_addresses = job_addresses,
                                  .num_processes = num_processes,
                                  .process_id = process_id});
      },
      "job_addresses"_a = nb::none(), "num_processes"_a = nb::none(), "process_id"_a = nb::none());
  nb::class_<DeviceMesh>(m, "DeviceMesh")
      .def(nb::init<Shape, std::vector<std::string>, std::vector<std::string>>(), "shape"_a,
           "axis_names"_a, "devices"_a)
      .def("__repr__", &DeviceMesh::str);
  nb::class_<TensorLayout>(m, "TensorLayout")
      .def(nb::init<std::vector<TensorLayout::Axis>, std::optional<DeviceMesh>>(), "axes"_a,
           "device_mesh"_a)
      .def("__repr__", &TensorLayout::str);
  m.def(
      "distribute_tensor",
      [](const Tensor& tensor, const TensorLayout& layout, const std::string& batch_axis) {
        return distribution::distribute_tensor(tensor,
                                               for_rows(layout, tensor.shape(), batch_axis));
      },
      "tensor"_a, "layout"_a, "batch_axis"_a = "",
      "In a traced function: the tensor, computed in parts; whole along `batch_axis` where its "
      "rows "
      "do not divide evenly.");
  m.def("distribute_variable", &distribution::distribute_variable, "variable"_a, "layout"_a,
        "Divides the storage of the variable.");
}

}  // namespace antler::python
