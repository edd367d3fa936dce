"""Simulated traders, labelled as such: their ordinary orders fill the demonstration's charts and tapes.

A strategy is a pure function in a module of its own; `roster` names who trades by which, `trading` lets them.
"""
