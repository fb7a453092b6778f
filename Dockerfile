# The antler command in a Debian image, without compilers and sources:
#   docker build -t antler .
#   docker run --rm -v "$PWD:/work" antler fit model.keras data.csv --out trained.keras
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends dpkg-dev file
COPY . /antler
WORKDIR /antler
RUN ./dev setup && cmake --preset release -DANTLER_BUILD_TESTS=OFF -DANTLER_BUILD_EXAMPLES=OFF -DANTLER_BUILD_BENCHMARKS=OFF \
  && cmake --build build && cd build && cpack

FROM debian:12
COPY --from=build /antler/build/antler_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/antler_*.deb ca-certificates \
  && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["antler"]
