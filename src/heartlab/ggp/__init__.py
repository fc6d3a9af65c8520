"""General game playing: games as GDL texts, run, played over the wire, and learned. This room knows nothing of Hearts.

    terms parse normal validate     the language: values, text with places, rules without `or`, errors and warnings
    machine prover                  what a game can be asked; the plain reference that answers by proving
    ground gates network simulate fast    clingo grounds; rules become gates; one compiled interpreter runs them
    load games/                     a game by name or file on the machine that suits it; our own games
    expand uct alphabeta players belief    look-ahead with all moves at once; searches; players by name
    messages agent server           the player's side of the protocol: texts, answers, HTTP
    scramble seats manager matches  the manager's side: renaming, players here and elsewhere, matches, series
    positions lookahead             a game as a graph that grows; shapes of look-ahead trees, and searches
    opponents learning learners     kinds of opponents and how they are recognised; learning matches; runs of them
    models discovery shapes td_player    features: as files, found, shown; the learner behind the protocol
    describe terminal commands      for people: facts about a game, play at the terminal, the command line

Import what you need from the module that has it; `load.load_game` is the door for most purposes.
"""
