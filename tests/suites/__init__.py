"""Other people's test suites, plain and under the tracer: their tests must end alike. Not for: our own."""
