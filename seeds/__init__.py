"""The seed documents as they came, what they are (manifest.toml), and the starter lexicon (lexicon.toml)."""
