# Debian packages by purpose; sourced by ./dev.
build_packages=(
  g++ mold cmake ninja-build ccache pkg-config
  libdnnl-dev llvm-19-dev
  libfmt-dev nlohmann-json3-dev libcli11-dev libcpp-httplib-dev libzip-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev libhdf5-dev libcurl4-openssl-dev libeigen3-dev
  libgtest-dev
)
# Needed only by antler::cluster and its plug-in for MPI; also for tests and lint.
cluster_packages=(libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libgloo-dev libopenmpi-dev openmpi-bin)
# clang-tidy needs clang's <omp.h>, from libomp-14-dev.
lint_packages=(clang-format clang-tidy libomp-14-dev python3)
# clang, for AddressSanitizer and the fuzzers. Only one version of LLVM's OpenMP can be installed, and clang-tidy (LLVM 14)
# needs version 14, so clang 19 uses that, too.
clang_packages=(clang-19 libclang-rt-19-dev libomp-14-dev)
# The site.
docs_packages=(python3 python3-venv doxygen)
# The Python module links LLVM's static libraries, which need libzstd.
python_packages=(python3 python3-venv python3-dev libzstd-dev)
