"""What a run looks like: live view, report, plain text, SVG, HTML, Perfetto, CSV. Measures nothing."""
