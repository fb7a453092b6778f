#include <algorithm>

#include "antler/base/error.h"
#include "antler/io/hdf5.h"
#include "io/hdf5_handle.h"

namespace antler::io {

using hdf5::Handle;
using hdf5::Session;

struct Hdf5Writer::File {
  Handle id;
};

namespace {

/// An object header holds at most 64 KiB. Larger lists are split as in Keras.
constexpr size_t kMaxPartBytes = 64512;

[[noreturn]] void fail(const std::string& path) {
  throw IOError("Cannot write '{}' to HDF5: {}.", path, Session::reason());
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space,
                     const void* data) {
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  if (!attribute.ok() || H5Awrite(attribute.get(), type, data) < 0) fail("attribute " + name);
}

void write_strings(hid_t object, const std::string& name, const std::string* first, size_t count) {
  size_t width = 1;
  for (size_t i = 0; i < count; ++i) width = std::max(width, first[i].size());
  std::string bytes(count * width, '\0');
  for (size_t i = 0; i < count; ++i)
    std::copy(first[i].begin(), first[i].end(), bytes.begin() + static_cast<ptrdiff_t>(i * width));
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), width);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  const hsize_t size = count;
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  write_attribute(object, name, type.get(), space.get(), bytes.data());
}

}  // namespace

Hdf5Writer::Hdf5Writer() : file_(std::make_unique<File>()) {
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), size_t{1} << 16, false);
  file_->id = Handle(H5Fcreate("in_memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  if (!file_->id.ok()) fail("a new file");
}

Hdf5Writer::~Hdf5Writer() {
  const Session session;
  file_.reset();
}

void Hdf5Writer::group(const std::string& path) {
  const Session session;
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end == 0 ? 0 : end + 1);
    const std::string part = path.substr(0, end);
    if (part.empty() || H5Lexists(file_->id.get(), part.c_str(), H5P_DEFAULT) > 0) continue;
    const Handle made(
        H5Gcreate2(file_->id.get(), part.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    if (!made.ok()) fail(part);
  }
}

void Hdf5Writer::write(const std::string& path, const Tensor& value) {
  const void* bytes = value.data();
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos) group(path.substr(0, slash));
  const Session session;
  if (H5Lexists(file_->id.get(), path.c_str(), H5P_DEFAULT) > 0) {
    throw ValueError("HDF5: the path '{}' already exists.", path);
  }
  std::vector<hsize_t> sizes;
  for (const int64_t size : value.shape()) sizes.push_back(static_cast<hsize_t>(size));
  const Handle space(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(value.rank(), sizes.data(), nullptr),
      H5Sclose);
  const Handle type = hdf5::file_type(value.dtype());
  const Handle data(H5Dcreate2(file_->id.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  if (!data.ok()) fail(path);
  if (value.size() > 0 &&
      H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) {
    fail(path);
  }
}

void Hdf5Writer::string_attribute(const std::string& path, const std::string& name,
                                  const std::string& value) {
  const Session session;
  const Handle object(H5Oopen(file_->id.get(), path.empty() ? "/" : path.c_str(), H5P_DEFAULT),
                      H5Oclose);
  if (!object.ok()) fail(path);
  // UTF-8 of variable length, as h5py writes strings.
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* string = value.c_str();
  write_attribute(object.get(), name, type.get(), space.get(), static_cast<const void*>(&string));
}

void Hdf5Writer::string_list_attribute(const std::string& path, const std::string& name,
                                       const std::vector<std::string>& values) {
  const Session session;
  const Handle object(H5Oopen(file_->id.get(), path.empty() ? "/" : path.c_str(), H5P_DEFAULT),
                      H5Oclose);
  if (!object.ok()) fail(path);
  if (values.empty()) {
    const hsize_t none = 0;
    const Handle space(H5Screate_simple(1, &none, nullptr), H5Sclose);
    return write_attribute(object.get(), name, H5T_NATIVE_DOUBLE, space.get(), "");
  }
  size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  if (width > kMaxPartBytes) {
    throw ValueError("HDF5: a name of {} bytes in '{}' is too long.", width, name);
  }
  const size_t per_part = kMaxPartBytes / width;
  if (values.size() <= per_part) {
    return write_strings(object.get(), name, values.data(), values.size());
  }
  for (size_t part = 0; part * per_part < values.size(); ++part) {
    const size_t start = part * per_part;
    write_strings(object.get(), name + std::to_string(part), values.data() + start,
                  std::min(per_part, values.size() - start));
  }
}

std::string Hdf5Writer::bytes() {
  const Session session;
  if (H5Fflush(file_->id.get(), H5F_SCOPE_LOCAL) < 0) fail("the file");
  const ssize_t size = H5Fget_file_image(file_->id.get(), nullptr, 0);
  if (size < 0) fail("the file");
  std::string image(static_cast<size_t>(size), '\0');
  if (H5Fget_file_image(file_->id.get(), image.data(), image.size()) < 0) fail("the file");
  return image;
}

}  // namespace antler::io
