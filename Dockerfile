# docker build -t vramscope .
# docker run --rm -it --gpus all --pid=host --cap-add SYS_PTRACE vramscope
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=1 go build -trimpath -buildmode=pie -tags netgo,osusergo,oldglibc \
    -ldflags="-s -w -X github.com/vramscope/vramscope/cmd/internal/cli.release=$VERSION -extldflags=-Wl,-z,lazy" -o /vramscope ./cmd/vramscope

FROM debian:bookworm-slim
# What the NVIDIA container runtime shall put in: the driver's management library.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=utility
COPY --from=build /vramscope /usr/bin/vramscope
ENTRYPOINT ["/usr/bin/vramscope"]
