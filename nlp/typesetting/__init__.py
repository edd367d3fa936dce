"""How a source string becomes a reading text.

`nlp.typeset` walks the source once, from one character that may mean something to the next, and
hands each to the module that knows it: `commands` (what a backslash begins), `formulas`, `links`,
`groups` (braces), `punctuation`, `markup` (Markdown and HTML), `characters` (beyond ASCII). All
of them write through `scan.Scan`, which keeps the runs. Nothing recurses, so no depth of nesting
can stop it; every look ahead is bounded, so no input takes more than linear time.
"""
