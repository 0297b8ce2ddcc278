"""Programs that run a suite whose tests have a runner of their own. On the path of that suite's Python."""
