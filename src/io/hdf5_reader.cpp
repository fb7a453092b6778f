#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "antler/base/error.h"
#include "antler/core/half.h"
#include "antler/io/hdf5.h"
#include "io/hdf5_handle.h"

namespace antler::io {

using hdf5::Handle;
using hdf5::Session;

struct Hdf5Reader::File {
  Handle id;
  std::string name;
  uint64_t size = 0;  // of the file, bytes
  ~File() {
    const Session session;
    id = Handle();
  }
};

namespace {

/// Deflate cannot do better than 1032 to 1; what claims more is made to fill memory.
constexpr uint64_t kMaxRatio = 1032;
/// Attributes are read whole.
constexpr uint64_t kMaxAttributeBytes = uint64_t{1} << 26;

std::string full(const std::string& path) { return path.empty() ? "/" : path; }

/// Whether every link on the way exists: asking for a path below one that does not is an error in
/// the library.
bool exists(hid_t file, const std::string& path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end == 0 ? 0 : end + 1);
    const std::string part = path.substr(0, end);
    if (part.empty()) continue;
    if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
    // External and dangling links lead nowhere.
    if (H5Oexists_by_name(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

/// A link into another file is not followed: a file of weights stands for itself.
bool is_external(hid_t file, const std::string& path) {
  H5L_info_t info;
  return H5Lget_info(file, path.c_str(), &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_EXTERNAL;
}

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

bool is_count(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool in_order(const std::string& a, const std::string& b) {
  if (is_count(a) && is_count(b)) return std::stol(a) < std::stol(b);
  if (is_count(a) != is_count(b)) return is_count(a);
  return a < b;
}

std::vector<std::string> texts_of(hid_t attribute, const std::string& where) {
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!type.ok() || !space.ok()) throw IOError(where + ": " + Session::reason() + ".");
  const hssize_t points = H5Sget_simple_extent_npoints(space.get());
  if (points == 0) return {};  // h5py writes an empty list as one of numbers
  if (H5Tget_class(type.get()) != H5T_STRING) throw ValueError(where + " is no text.");
  const size_t width = H5Tget_size(type.get());
  const auto count = static_cast<uint64_t>(points < 0 ? 0 : points);
  if (points < 0 || width == 0 || count > kMaxAttributeBytes / width) {
    throw IOError(where + " has an impossible size.");
  }
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.get()) > 0) {
    std::vector<char*> pointers(count, nullptr);
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
    if (H5Aread(attribute, memory.get(), static_cast<void*>(pointers.data())) < 0) {
      throw IOError(where + ": " + Session::reason() + ".");
    }
    for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, static_cast<void*>(pointers.data()));
    return texts;
  }
  std::string bytes(count * width, '\0');
  if (H5Aread(attribute, type.get(), bytes.data()) < 0) {
    throw IOError(where + ": " + Session::reason() + ".");
  }
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text(bytes.data() + i * width, width);
    texts.emplace_back(text.substr(0, std::min(text.find('\0'), width)));
  }
  return texts;
}

std::optional<std::vector<std::string>> texts_of(hid_t file, const std::string& path,
                                                 const std::string& name,
                                                 const std::string& where) {
  if (H5Aexists_by_name(file, full(path).c_str(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Handle attribute(
      H5Aopen_by_name(file, full(path).c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) throw IOError(where + ": " + Session::reason() + ".");
  return texts_of(attribute.get(), where + ", attribute '" + name + "'");
}

template <class Half>
Tensor narrowed(const std::vector<float>& values, DType dtype, const Shape& shape) {
  const Tensor result = Tensor::empty(dtype, shape);
  std::copy(values.begin(), values.end(), static_cast<Half*>(result.mutable_data()));
  return result;
}

}  // namespace

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), in_order);
}

Hdf5Reader Hdf5Reader::open(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw NotFoundError("There is no file '" + path + "'.");
  const Session session;
  auto file = std::make_shared<File>();
  file->name = "'" + path + "'";
  file->size = static_cast<uint64_t>(status.st_size);
  file->id = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file->id.ok()) {
    throw IOError("Cannot read '" + path + "' as HDF5: " + Session::reason() + ".");
  }
  return Hdf5Reader(std::move(file));
}

Hdf5Reader Hdf5Reader::parse(std::string_view bytes, const std::string& name) {
  const Session session;
  auto file = std::make_shared<File>();
  file->name = name;
  file->size = bytes.size();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), size_t{1} << 16, false);
  // The library copies the image.
  if (bytes.empty() ||
      H5Pset_file_image(access.get(), const_cast<char*>(bytes.data()), bytes.size()) < 0) {
    throw IOError(name + " cannot be read as HDF5: it is empty.");
  }
  file->id = Handle(H5Fopen("in_memory", H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file->id.ok()) {
    throw IOError(name + " cannot be read as HDF5: " + Session::reason() + ".");
  }
  return Hdf5Reader(std::move(file));
}

bool Hdf5Reader::contains(const std::string& path) const {
  const Session session;
  return path.empty() || (exists(file_->id.get(), path) && !is_external(file_->id.get(), path));
}

bool Hdf5Reader::is_group(const std::string& path) const {
  if (!contains(path)) return false;
  const Session session;
  H5O_info_t info;
  return H5Oget_info_by_name(file_->id.get(), full(path).c_str(), &info, H5P_DEFAULT) >= 0 &&
         info.type == H5O_TYPE_GROUP;
}

std::vector<std::string> Hdf5Reader::children(const std::string& group) const {
  std::vector<std::string> names;
  if (!is_group(group)) return names;
  const Session session;
  const Handle id(H5Gopen2(file_->id.get(), full(group).c_str(), H5P_DEFAULT), H5Gclose);
  if (!id.ok() ||
      H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_name, &names) < 0) {
    throw IOError(file_->name + ", group '" + group + "': " + Session::reason() + ".");
  }
  sort_names(names);
  return names;
}

Tensor Hdf5Reader::read(const std::string& path) const {
  const std::string where = file_->name + ", array '" + path + "'";
  if (path.empty() || !contains(path) || is_group(path)) {
    throw KeyError(file_->name + " has no array '" + path + "'.");
  }
  const Session session;
  const auto check = [&](bool ok) {
    if (!ok) throw IOError(where + ": " + Session::reason() + ".");
  };
  const Handle data(H5Dopen2(file_->id.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  check(data.ok());
  const Handle type(H5Dget_type(data.get()), H5Tclose);
  const Handle space(H5Dget_space(data.get()), H5Sclose);
  check(type.ok() && space.ok());
  DType dtype = DType::float32;
  // Keras writes bfloat16 as two bytes without meaning, and names the type in an attribute.
  const bool named =
      H5Tget_class(type.get()) == H5T_OPAQUE && H5Tget_size(type.get()) == 2 &&
      texts_of(file_->id.get(), path, "dtype", where) == std::vector<std::string>{"bfloat16"};
  if (named) {
    dtype = DType::bfloat16;
  } else if (!hdf5::dtype_of(type.get(), dtype)) {
    throw ValueError(where + ": its elements are no numbers that a tensor can hold.");
  }
  const int rank = H5Sget_simple_extent_ndims(space.get());
  check(rank >= 0);
  std::vector<hsize_t> sizes(static_cast<size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr) >= 0);
  Shape shape;
  uint64_t count = 1;
  for (const hsize_t size : sizes) {
    const uint64_t limit = file_->size * kMaxRatio;
    if (size > limit || (size > 0 && count > limit / size)) {
      throw IOError(where + ": it is larger than the file can hold.");
    }
    count *= size;
    shape.push_back(static_cast<int64_t>(size));
  }
  // Elements that the file does not have would be filled in.
  if (count > 0 && H5Dget_storage_size(data.get()) == 0) {
    throw IOError(where + ": its data is missing.");
  }
  if (named) {
    const Tensor result = Tensor::empty(dtype, shape);
    check(H5Dread(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, result.mutable_data()) >=
          0);
    return result;
  }
  const Handle memory = hdf5::memory_type(dtype);
  if (dtype == DType::bfloat16 || dtype == DType::float16) {
    std::vector<float> values(count);
    check(H5Dread(data.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    return dtype == DType::bfloat16 ? narrowed<bfloat16>(values, dtype, shape)
                                    : narrowed<float16>(values, dtype, shape);
  }
  const Tensor result = Tensor::empty(dtype, shape);
  check(H5Dread(data.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, result.mutable_data()) >=
        0);
  if (dtype == DType::boolean) {
    auto* bytes = static_cast<unsigned char*>(result.mutable_data());
    for (uint64_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
  }
  return result;
}

std::optional<std::string> Hdf5Reader::text_attribute(const std::string& path,
                                                      const std::string& name) const {
  if (!contains(path)) return {};
  const Session session;
  auto texts = texts_of(file_->id.get(), path, name, file_->name + ", '" + path + "'");
  if (!texts || texts->size() != 1) return {};
  return std::move(texts->front());
}

std::optional<std::vector<std::string>> Hdf5Reader::text_list_attribute(
    const std::string& path, const std::string& name) const {
  if (!contains(path)) return {};
  const Session session;
  const std::string where = file_->name + ", '" + path + "'";
  auto texts = texts_of(file_->id.get(), path, name, where);
  if (texts) return texts;
  std::vector<std::string> all;
  for (int part = 0;; ++part) {
    const auto more = texts_of(file_->id.get(), path, name + std::to_string(part), where);
    if (!more) {
      if (part == 0) return {};
      return all;
    }
    all.insert(all.end(), more->begin(), more->end());
  }
}

}  // namespace antler::io
