"""Runs for programs and for readers without a picture: plain text and JSON."""
