"""The computer players of gnome-hearts.

In reading order: `player` lists them; `memory` is what they derive from the history of a deal; `stock`, `luis`, `jake`,
`ling` and `peter` are one player each; `moon` is how Peter shoots the moon. Players are made by name (`gnome:peter`).
"""
