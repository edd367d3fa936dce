"""What the pages need: one question, one frozen answer. Nothing here writes."""
