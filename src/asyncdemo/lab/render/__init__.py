"""The report of a record: in a terminal, as plain text, as a page, and as a part of the docs site."""
