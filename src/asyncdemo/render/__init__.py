"""Views of runs: live view, report, plain text, SVG, HTML, Perfetto. Measures nothing."""
