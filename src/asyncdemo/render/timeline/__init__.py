"""The cells of a picture. Pure, without colours and glyphs: each output has its own."""
