# Swift, what the build needs, and the package built: docker build -t eras . && docker run --rm eras
FROM swift:6.2-bookworm
WORKDIR /package
COPY scripts/install-packages scripts/install-dependencies scripts/
RUN sh scripts/install-dependencies && sh scripts/install-packages make
COPY . .
RUN swift build -c release --product eras && ln -s /package/.build/release/eras /usr/local/bin/eras
CMD ["eras", "compare"]
