# SPDX-License-Identifier: BSD-3-Clause
# The command, for processors:      docker build -t pavior .
# with NVRTC for NVIDIA's GPUs:     docker build -t pavior --build-arg NVRTC=13.0.88 .
# A run in the present folder:      docker run --rm -v "$PWD:/work" pavior run heat3d.pav
# with a GPU (nvidia-container-toolkit): docker run --rm --gpus all -v "$PWD:/work" pavior run heat3d.pav
FROM debian:12-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends cmake gcc libc6-dev make \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
WORKDIR /source
RUN cmake -S . -B /build -DCMAKE_BUILD_TYPE=Release -DPAV_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local \
    && cmake --build /build --parallel 4 \
    && DESTDIR=/installed cmake --install /build

# A run compiles its kernels, so the image keeps a C compiler.
FROM debian:12-slim
ARG NVRTC=""
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev libzstd1 libhdf5-103-1 python3-pip \
    && if [ -n "$NVRTC" ]; then pip install --no-cache-dir --break-system-packages --target /opt/nvrtc "nvidia-cuda-nvrtc==$NVRTC"; fi \
    && apt-get purge -y --auto-remove python3-pip \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /installed/ /
RUN ldconfig && useradd --create-home --uid 1000 pavior \
    && { find /opt/nvrtc -name 'libnvrtc.so.*' -exec ln -s '{}' /usr/local/lib/ ';' || true; }
USER 1000
WORKDIR /work
ENTRYPOINT ["pavior"]
CMD ["help"]
