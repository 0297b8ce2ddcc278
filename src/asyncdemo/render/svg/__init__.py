"""Runs as one self-contained SVG."""
