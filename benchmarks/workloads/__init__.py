"""Scripts that the benchmarks run. Each writes what it used, as JSON, to the file named first."""
