"""Nasty rule sheets, written for the tests: correct GDL as it may come from strangers, each with some trap in it."""

RECURSION = """
; mutual and left recursion, a walk over a graph with cycles; the player must reach the far end
(role walker)
(edge a b) (edge b c) (edge c a) (edge c d) (edge d e) (edge e d)
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))
(<= (odd ?x) (edge a ?x)) (<= (odd ?y) (even ?x) (edge ?x ?y)) (<= (even ?y) (odd ?x) (edge ?x ?y))
(init (at a)) (init (step 0))
(<= (legal walker (go ?y)) (true (at ?x)) (edge ?x ?y))
(<= (next (at ?y)) (does walker (go ?y)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= reaches (true (at ?x)) (path ?x e))
(<= terminal (true (step 5))) (<= terminal (not reaches))
(<= (goal walker 100) (true (at ?x)) (path ?x ?x) (odd ?x) (even ?x))
(<= (goal walker 25) (true (at ?x)) (or (not (odd ?x)) (not (even ?x)) (not (path ?x ?x))))
"""

DISJUNCTION = """
(ROLE Left)(Role RIGHT) ; Upper case, no space, and a comment with (brackets ;;; and "quotes"
(init (HEAP 3))(INIT (Control Left))
(other Left RIGHT)(other RIGHT Left)(Take 1)(Take 2)
(minus 3 1 2)(minus 3 2 1)(minus 2 1 1)(minus 2 2 0)(minus 1 1 0)
(<= (legal ?P (Take ?N)) (true (Control ?P)) (Take ?N) (true (HEAP ?M)) (minus ?M ?N ?K))
(<= (legal ?p noop) (role ?p) (not (true (Control ?p))))
(<= (next (HEAP ?k)) (or (does Left (Take ?n)) (does RIGHT (Take ?n))) (true (HEAP ?m)) (minus ?m ?n ?k))
(<= (next (Control ?q)) (true (Control ?p)) (other ?p ?q))
(<= Terminal (or (true (HEAP 0)) (true (HEAP zero))))
(<= (goal ?p 100) (role ?p) (not (true (Control ?p))))
(<= (goal ?p 0) (true (Control ?p)))
"""

ODD_NAMES = """
(role p-1)(role p_2)(role 3)
(init (cell |x| #$%&*+./:<=>@^~!)) (init 0) (init -7) (init 1e9) (init p-1) (init if) (init not-me) (init #show)
(<= (legal ?r .stop) (role ?r)) (<= (legal ?r go:1) (role ?r) (true (cell ?a ?b))) (<= (legal p-1 'q) (true -7))
(<= (next 0) (does p-1 .stop)) (<= (next not) (does p_2 go:1)) (<= (next -7) (does 3 ?m) (distinct ?m go:1))
(<= terminal (not (true 1e9)))
(goal p-1 1) (goal p_2 099) (goal 3 100)
"""

ZERO_ARITY = """
(role solo) (init on)
(<= ready (true on)) (<= (legal solo press) ready) (<= (legal solo wait) (not (true off)))
(<= (next off) (does solo press)) (<= (next on) (does solo wait)) (<= (next tick) (true on) (not (true tick)))
(<= (next tock) (true tick))
(<= over (true off)) (<= over (true tock)) (<= terminal over)
(<= (goal solo 100) (true off)) (<= (goal solo 30) (not (true off)))
"""

NESTED = """
(role a) (role b)
(init (stack nil nil)) (init (turn a))
(limit (f (f (f nil))))
(depth nil) (depth (f nil)) (depth (f (f nil))) (<= (depth ?x) (limit ?x))
(next-of a b) (next-of b a)
(<= (legal ?p (push (f ?x))) (true (turn ?p)) (true (stack ?x ?y)) (depth (f ?x)))
(<= (legal ?p (swap (pair ?x ?y))) (true (turn ?p)) (true (stack ?x ?y)) (distinct ?x ?y))
(<= (legal ?p noop) (true (turn ?q)) (next-of ?p ?q))
(<= (next (stack (f ?x) ?y)) (does ?p (push (f ?x))) (true (stack ?x ?y)))
(<= (next (stack ?y ?x)) (does ?p (swap (pair ?x ?y))))
(<= (next (turn ?q)) (true (turn ?p)) (next-of ?p ?q))
(<= (next (count z)) (not counted)) (<= (next (count (s ?n))) (true (count ?n)) (distinct ?n (s (s (s (s z))))))
(<= counted (true (count ?n)))
(<= terminal (true (stack ?x ?x)) (distinct ?x nil))
(<= terminal (true (count (s (s (s (s z)))))))
(<= (goal ?p 100) (true (turn ?p)) (true (stack ?x ?x)))
(<= (goal ?p 0) (true (turn ?q)) (next-of ?p ?q) (true (stack ?x ?x)))
(<= (goal ?p 50) (role ?p) (true (stack ?x ?y)) (distinct ?x ?y))
"""

SIMULTANEOUS = """
(role x) (role y) (role z)
(number 1) (number 2) (number 3)
(<= (legal ?r (bid ?n)) (role ?r) (number ?n))
(<= (next (bade ?r ?n)) (does ?r (bid ?n)))
(<= (same ?n) (true (bade ?r ?n)) (true (bade ?s ?n)) (distinct ?r ?s))
(<= (lone ?r ?n) (true (bade ?r ?n)) (not (same ?n)))
(<= (beaten ?r) (lone ?r ?n) (lone ?s ?m) (more ?m ?n))
(more 2 1) (more 3 1) (more 3 2)
(<= (wins ?r) (lone ?r ?n) (not (beaten ?r)))
(<= terminal (true (bade x ?n)))
(<= (goal ?r 100) (wins ?r)) (<= (goal ?r 20) (role ?r) (not (wins ?r)))
"""

CHANCE = """
(role random) (role caller) (role watcher) (coin heads) (coin tails) (init begin)
(<= (legal random (flip ?c)) (coin ?c) (true begin)) (<= (legal random noop) (not (true begin)))
(<= (legal caller (call ?c)) (coin ?c) (true flipped)) (<= (legal caller noop) (not (true flipped)))
(legal watcher noop)
(<= (next flipped) (true begin)) (<= (next (lies ?c)) (does random (flip ?c))) (<= (next (lies ?c)) (true (lies ?c)))
(<= (next (called ?c)) (does caller (call ?c)))
(<= (sees watcher ?c) (does random (flip ?c))) (<= (sees caller thud) (does random (flip ?c)))
(<= (sees ?r (said ?c)) (role ?r) (distinct ?r random) (does caller (call ?c)))
(<= terminal (true (called ?c)))
(<= (goal caller 100) (true (called ?c)) (true (lies ?c)))
(<= (goal caller 0) (true (called ?c)) (not (true (lies ?c)))) (goal watcher 50) (goal random 0)
"""

ALWAYS_OVER = "(role r) (init a) terminal (legal r m) (goal r 37)"

THREE_TURNS = """
(role a) (role b) (role c) (after a b) (after b c) (after c a) (init (turn a)) (spot 1) (spot 2) (spot 3) (spot 4)
(<= (legal ?p (put ?s)) (true (turn ?p)) (spot ?s) (not (taken ?s)))
(<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
(<= (taken ?s) (true (own ?p ?s)))
(<= (next (own ?p ?s)) (does ?p (put ?s))) (<= (next (own ?p ?s)) (true (own ?p ?s)))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(<= open (spot ?s) (not (taken ?s))) (<= terminal (not open))
(<= (goal ?p 100) (true (own ?p 4))) (<= (goal ?p 10) (role ?p) (not (true (own ?p 4))))
"""

WIDE = """
(role r) (init (n z z z z z z z z)) (init (left f))
(up z 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6) (up 6 7) (up 7 8) (up 8 9) (up 9 a) (up a b) (up b c) (up c z)
(down f e) (down e d)
(legal r first) (legal r last) (<= (legal r all) (true (n ?a ?b ?c ?d ?e ?f ?g ?h)))
(<= (next (n ?i ?b ?c ?d ?e ?f ?g ?h)) (does r first) (true (n ?a ?b ?c ?d ?e ?f ?g ?h)) (up ?a ?i))
(<= (next (n ?a ?b ?c ?d ?e ?f ?g ?i)) (does r last) (true (n ?a ?b ?c ?d ?e ?f ?g ?h)) (up ?h ?i))
(<= (next (n ?b ?c ?d ?e ?f ?g ?h ?i)) (does r all) (true (n ?a ?b ?c ?d ?e ?f ?g ?h)) (up ?a ?i))
(<= (next (left ?y)) (true (left ?x)) (down ?x ?y))
(<= terminal (true (left d)))
(<= (goal r 100) (true (n 2 ?b ?c ?d ?e ?f ?g ?h)))
(<= (goal r 40) (true (n ?a ?b ?c ?d ?e ?f ?g ?h)) (distinct ?a 2))
"""
"""A sound game that does not ground within any sensible budget; no part is worth it, since moves need the rest."""

GAMES = {
    "recursion": RECURSION,
    "disjunction": DISJUNCTION,
    "odd-names": ODD_NAMES,
    "zero-arity": ZERO_ARITY,
    "nested": NESTED,
    "simultaneous": SIMULTANEOUS,
    "chance": CHANCE,
    "always-over": ALWAYS_OVER,
    "three-turns": THREE_TURNS,
}
