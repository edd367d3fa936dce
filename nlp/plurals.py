"""Singular and plural of one English word, by rule and a table of what no rule gets right."""

from __future__ import annotations

import re

# Words that look like plurals and are not, beside those in -ss, -us and -is.
_KEPT = """
    alias always as atlas bayes bfgs bias burgers canvas chaos chronos cmos compas cosmos css data diabetes
    dns ethos gas gauss gibbs goldilocks gps has hastings hawkes ios its keras kubernetes kudos lens lpips
    mathematics matthews mcts means mises movielens nas neurips news nowadays nuscenes pandas perhaps pos
    procrustes reuters reynolds rkhs ros saas series siemens sms sometimes species stokes sts texas this
    thus timeseries tts us was whereas yes
"""
_KEEP = frozenset(_KEPT.split())

# Sciences and mass nouns in -ics; topics, metrics and heuristics are true plurals.
_MASS_ICS = re.compile(
    r"(?:dynamics|physics|omics|matics|statistics|linguistics|logistics|tronics|nomics|ethics|genetics|kinetics"
    r"|netics|photonics|semantics|mechanics|forensics|acoustics|optics|graphics|analytics|diagnostics|robotics"
    r"|politics|aesthetics|pragmatics|haptics|ceramics|athletics|therapeutics|pediatrics|ergonomics)$"
)

# Plural and singular, where no rule below is right.
_IRREGULAR_PAIRS = """
    aliases alias, analyses analysis, apis api, appendices appendix, atlases atlas, automata automaton, axes
    axis, bases basis, bcis bci, biases bias, bonuses bonus, buses bus, caches cache, calculi calculus,
    calves calf, campuses campus, canvases canvas, censuses census, children child, consensuses consensus,
    cookies cookie, corpora corpus, corpuses corpus, cpus cpu, crises crisis, criteria criterion, diagnoses
    diagnosis, echoes echo, ellipses ellipsis, emphases emphasis, extrema extremum, feet foot, foci focus,
    focuses focus, formulae formula, gases gas, genera genus, gpus gpu, grus gru, guis gui, halves half,
    heroes hero, hypotheses hypothesis, imus imu, indices index, knives knife, leaves leaf, lemmata lemma,
    lenses lens, loci locus, matrices matrix, maxima maximum, men man, menus menu, metamorphoses
    metamorphosis, mice mouse, minima minimum, momenta momentum, movies movie, mris mri, niches niche, npus
    npu, nuclei nucleus, optima optimum, parentheses parenthesis, people person, phenomena phenomenon,
    plateaus plateau, pois poi, potatoes potato, prognoses prognosis, quanta quantum, quizzes quiz, radii
    radius, relus relu, rois roi, schemata schema, selves self, shelves shelf, simplices simplex, spectra
    spectrum, statuses status, stimuli stimulus, strata stratum, syllabi syllabus, symposia symposium,
    syntheses synthesis, taxis taxi, teeth tooth, theses thesis, tomatoes tomato, tori torus, tpus tpu,
    vertices vertex, vetoes veto, viruses virus, vortices vortex, wolves wolf, women woman
"""
_IRREGULAR: dict[str, str] = dict(pair.split() for pair in _IRREGULAR_PAIRS.split(","))

_PLURALS_OF: dict[str, tuple[str, ...]] = {}
for _plural, _singular in _IRREGULAR.items():
    _PLURALS_OF[_singular] = (*_PLURALS_OF.get(_singular, ()), _plural)


def singular(word: str) -> str:
    """The singular of a lower-case word; a word that is none, or has none, comes back as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word in _KEEP:
        return word
    if word.endswith(("ss", "us", "is")) or _MASS_ICS.search(word):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]


def plurals(word: str) -> tuple[str, ...]:
    """Plurals that a lower-case singular may have, the irregular ones first ("matrices", "matrixes")."""
    if re.search(r"[^aeiou]y$", word):
        regular = f"{word[:-1]}ies"
    elif re.search(r"(?:s|x|z|ch|sh)$", word):
        regular = f"{word}es"
    else:
        regular = f"{word}s"
    return tuple(dict.fromkeys((*_PLURALS_OF.get(word, ()), regular)))
