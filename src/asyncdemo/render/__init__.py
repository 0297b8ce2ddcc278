"""The outputs of a run: live view, terminal report, plain text, SVG, HTML, Perfetto, CSV. Measures nothing."""
