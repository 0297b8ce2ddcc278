"""Views of runs: live view, report, plain text, SVG, HTML, Perfetto, CSV. Measures nothing."""
