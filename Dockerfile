# The course with its environment: docker build -t attentively . && docker run --rm attentively grader doctor
FROM python:3.12-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /course
COPY . .
RUN make env
ENV PATH=/course/.venv/bin:$PATH
CMD ["make", "course"]
