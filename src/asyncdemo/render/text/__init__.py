"""Runs for programs and readers without a picture: plain text, JSON, CSV."""
