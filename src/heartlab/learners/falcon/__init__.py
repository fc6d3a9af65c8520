"""What a FALCON agent sees and does: percepts, abstract actions, and the Monte-Carlo agent over the same actions.

`percepts` are the ten bits of the paper, `actions` its 29 actions, `richer` what a search chose beyond them,
`montecarlo` the searching opponent. The networks over them and the players of trained models live in the room of
learning.
"""
