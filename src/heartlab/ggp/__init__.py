"""General game playing: games as GDL texts, run, played over the wire, and learned. This room knows nothing of Hearts.

    terms parse normal validate     the language: values, text with places, rules without `or`, errors and warnings
    machine prover                  what a game can be asked; the plain reference that answers by proving
    ground gates network simulate fast    clingo grounds; rules become gates; one compiled interpreter runs them
    load games/                     a game by name or file on the machine that suits it; our own games

Import what you need from the module that has it; `load.load_game` is the door for most purposes.
"""
