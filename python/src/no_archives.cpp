#include "antler/base/error.h"
#include "antler/io/hdf5.h"
#include "antler/io/npy.h"
#include "antler/io/zip.h"

// Python has its own libraries for zip archives and HDF5 files. These definitions replace those in
// antler::io, so that the module does not depend on libzip, libhdf5 and the forty libraries that
// they need. (src/data/http.cpp is compiled without libcurl for the same reason.)
namespace antler::io {
namespace {

[[noreturn]] void missing(const char* what) {
  throw RuntimeError("The Python module has no {}.", what);
}
[[noreturn]] void no_zip() { missing("zip archives"); }
[[noreturn]] void no_hdf5() { missing("HDF5 writer"); }

}  // namespace

struct ZipReader::Archive {};
ZipReader ZipReader::open(const std::string&) { no_zip(); }
std::vector<std::string> ZipReader::names() const { no_zip(); }
bool ZipReader::contains(const std::string&) const { no_zip(); }
std::string ZipReader::read(const std::string&) const { no_zip(); }
void save_zip(const std::string&, const std::vector<ZipEntry>&) { no_zip(); }

NamedTensors load_npz(const std::string&) { no_zip(); }
NamedTensors parse_npz(std::string_view) { no_zip(); }
void save_npz(const std::string&, const NamedTensors&, const NpzOptions&) { no_zip(); }

struct Hdf5Writer::File {};
Hdf5Writer::Hdf5Writer() { no_hdf5(); }
Hdf5Writer::~Hdf5Writer() = default;
void Hdf5Writer::group(const std::string&) { no_hdf5(); }
void Hdf5Writer::write(const std::string&, const Tensor&) { no_hdf5(); }
void Hdf5Writer::string_attribute(const std::string&, const std::string&, const std::string&) {
  no_hdf5();
}
void Hdf5Writer::string_list_attribute(const std::string&, const std::string&,
                                       const std::vector<std::string>&) {
  no_hdf5();
}
std::string Hdf5Writer::bytes() { no_hdf5(); }

}  // namespace antler::io
