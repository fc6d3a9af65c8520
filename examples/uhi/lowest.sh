#!/bin/sh
# A Hearts bot in awk. Try: heartlab arena "exec:examples/uhi/lowest.sh" random
# It passes its highest cards and plays the highest card that does not win; if it cannot follow suit it discards points.
awk=awk
case $(awk -W version 2>&1 < /dev/null) in mawk*) awk="awk -W interactive" ;; esac  # mawk buffers its input otherwise
exec $awk '
function rank(card) { return index("23456789TJQKA", substr(card, 1, 1)) }
function suit(card) { return substr(card, 2, 1) }
function points(card) { return card == "QS" ? 13 : suit(card) == "H" }
function holds(wanted,    card) { for (card in hand) if (suit(card) == wanted) return 1; return 0 }

function allowed(card, last_resort) {    # `last_resort`: no card obeys all rules, so the last two do not apply
    if (size && holds(led)) { if (suit(card) != led) return 0 }
    if (!cards && opening == "any-club") return suit(card) == "C"
    if (!cards && opening ~ /2C|lowest-club/) return card == lowest_club()
    if (last_resort) return 1
    if (cards < players && !points_at_first && points(card)) return 0
    return size || broken || suit(card) != "H"
}
function lowest_club(    card, found) {
    for (card in hand) if (suit(card) == "C" && (found == "" || rank(card) < rank(found))) found = card
    return found
}
function value(card) {
    if (!size) return -rank(card)
    if (suit(card) != led) return 50 * points(card) + rank(card)
    return rank(card) < top ? 100 + rank(card) : -rank(card)
}
function choose(    card, best, last_resort) {
    for (last_resort = 0; best == "" && last_resort < 2; last_resort++)
        for (card in hand)
            if (allowed(card, last_resort))
                if (best == "" || value(card) > value(best) || (value(card) == value(best) && card < best)) best = card
    return best
}
function choose_pass(    card, best, number, given, answer) {
    for (number = 0; number < pass_count; number++) {
        best = ""
        for (card in hand)
            if (!(card in given) && (pass_high_spades || card !~ /[QKA]S/))
                if (best == "" || rank(card) > rank(best) || (rank(card) == rank(best) && card < best)) best = card
        given[best]; answer = answer " " best
    }
    return answer
}
function rule(key, standard,    text) {  # the value of a key in the rules, which are JSON in one line
    if (!match($0, "\"" key "\":[^,}]*")) return standard
    text = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3); gsub(/"/, "", text)
    return text
}

{ sub(/\r$/, "") }
$1 == "uhi" { print "id name lowest"; print "id author the heartlab engineers"; print "uhiok" }
$1 == "newgame" {
    players = rule("players", 4) + 0; pass_count = rule("pass_count", 3) + 0; opening = rule("opening", "2C")
    points_at_first = rule("first_trick_points", "false") == "true"; any_lead = rule("hearts", "broken") == "any"
    pass_high_spades = rule("pass_high_spades", "true") == "true"; queen_breaks = rule("queen_breaks_hearts", "false") == "true"
}
$1 == "newdeal"  { split("", hand); cards = size = 0; broken = any_lead; for (i = 4; i <= NF && $i != "pass"; i++) hand[$i] }
$1 == "pass?"    { print "pass" choose_pass() }
$1 == "passed"   { for (i = 2; i <= NF; i++) delete hand[$i] }
$1 == "received" { for (i = 2; i <= NF; i++) hand[$i] }
$1 == "played"   {
    if (!size) { led = suit($3); top = 0 }
    if (suit($3) == led && rank($3) > top) top = rank($3)
    if (suit($3) == "H" || ($3 == "QS" && queen_breaks)) broken = 1
    delete hand[$3]; cards++; size = (size + 1) % players
}
$1 == "card?" { print "card " choose() }
$1 == "quit"  { exit }
{ fflush() }
'
