"""Which cell of a picture shows what. Pure: no colours and no glyphs, which are each output's own."""
