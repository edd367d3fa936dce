"""The seed documents as they came, what they are (manifest.toml), and the lexicon that a site starts
with (lexicon.toml), with what was decided about it by eye (review.toml)."""
