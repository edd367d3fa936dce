"""Words that every paper uses: alone they name nothing that could be followed.

The second list is of words that only widen or praise what they stand before: "novel approach" is as generic
as "approach". Two generic words together may well name something ("loss function", "world model").
"""

from __future__ import annotations

from functools import lru_cache

_NOUNS = """
    ability abstract accuracy achievement action adaptation addition advance advantage aim algorithm
    amount analysis application approach architecture area argument aspect assessment assumption author
    availability average baseline basis behavior benchmark benefit bound breakthrough budget capability
    capacity case category cause challenge change chapter characteristic choice class code collection
    combination community comparison complexity component computation computational concept conclusion
    condition configuration consequence consideration consistency constraint construction content
    context contribution control cost criterion data database dataset decision definition degree demand
    demonstration dependence dependency deployment design detail development deviation difference
    difficulty dimension direction discovery discussion distance distribution domain drawback effect
    effectiveness efficacy efficiency effort element enhancement environment error estimate estimation
    evaluation evidence example execution expense experience experiment experimental expert explanation
    exploration expression extension factor failure family fashion feature field figure finding
    flexibility form formulation foundation framework function functionality future gain gap generation
    goal group growth guarantee guidance guideline hypothesis idea identification impact implementation
    implication importance improvement increase information input insight instance instruction
    integration interaction interest interpretation introduction investigation issue iteration key
    knowledge lack language law learner learning length level library limit limitation literature loss
    machine magnitude majority manner mapping margin material measure measurement mechanism memory
    method methodology metric model modeling modification module motivation name nature need network
    norm notion number object objective observation obstacle operation opportunity optimal option order
    outcome output overhead overview pair paper paradigm parameter part pattern performance period
    perspective phase phenomenon picture pipeline point policy population position possibility potential
    power practice practitioner precision prediction presence principle problem procedure process
    processing product progress project proof property proposal proposition prototype quality quantity
    query question range rate ratio reason recall reduction regime region relation relationship
    relevance reliability representation requirement research researcher resource response result review
    risk role rule run sample scale scenario schedule scheme science scientist scope score search
    section sequence series set setting setup shape shortcoming side signal significance similarity
    simulation situation size solution solver source space speed stability stage standard state
    statistic step strategy strength structure study subject subset success suite summary support survey
    system table target task team technique technology term test text theorem theory threshold time tool
    topic total tradeoff training transfer trend trial type understanding unit usage use user utility
    value variability variable variant variation variety vector version view volume way weakness weight
    word work workflow world year
"""
_PRAISE = """
    additional adequate alternative available best better broad certain comparable competitive
    comprehensive conventional critical crucial current different diverse effective efficient essential
    established existing extensive final first further good great high higher important improved initial
    interesting key large larger latest lower main major many meaningful modern multiple necessary new
    next novel numerous original other overall particular poor popular possible potential powerful
    practical present previous primary principled prior promising proposed recent relevant remarkable
    several significant similar simple single specific standard strong substantial successful suitable
    superior systematic traditional typical underlying unique useful various vast whole widespread
"""
_GENERIC = frozenset(_NOUNS.split())
_EMPTY = frozenset(_PRAISE.split())


@lru_cache(maxsize=65_536)
def is_generic(key: str) -> bool:
    """Whether a term key (see `nlp.normalize`) is a generic word, whatever praise stands before it."""
    *before, last = key.split() or [""]
    return (last in _GENERIC or last in _EMPTY) and all(word in _EMPTY for word in before)
