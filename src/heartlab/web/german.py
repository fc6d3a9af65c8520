"""What the server says, in German: by the English templates of its messages (:mod:`heartlab.util.said`).

The texts of the page itself are in `page/texts/de.js`, the rules of Help in :mod:`heartlab.web.how_de`. A test finds
all templates in the sources and says which ones are missing here.
"""

from __future__ import annotations

from heartlab.util.said import Language
from heartlab.web.german_coach import COACH
from heartlab.web.german_rules import RULES_ERRORS

RULES = {
    "": "",
    "clubs were led and must be followed": "Kreuz wurde ausgespielt und muss bedient werden",
    "diamonds were led and must be followed": "Karo wurde ausgespielt und muss bedient werden",
    "spades were led and must be followed": "Pik wurde ausgespielt und muss bedient werden",
    "hearts were led and must be followed": "Herz wurde ausgespielt und muss bedient werden",
    "the first lead must be {card}": "zuerst muss {card} ausgespielt werden",
    "the first lead must be a club": "zuerst muss ein Kreuz ausgespielt werden",
    "penalty cards may not fall on the first trick": "im ersten Stich dürfen keine Punkte fallen",
    "hearts are not broken yet": "Herz ist noch nicht gebrochen",
    "Q♠ may not be played before hearts are broken": "Q♠ darf erst fallen, wenn Herz gebrochen ist",
    "only these are legal": "nur die hellen sind erlaubt",
    "the seat does not hold it": "diese Karte ist nicht auf der Hand",
    "the deal is over": "die Runde ist vorbei",
    "seats {seats} still have to pass": "die Plätze {seats} müssen noch weitergeben",
    "it is not your turn": "du bist nicht dran",
}
COACHING = {
    "The coach is getting ready: its first answer loads its machine code, and on a new computer compiles it, which "
    "takes a minute or two and happens once.": (
        "Der Trainer macht sich bereit: vor der ersten Antwort wird er geladen, und auf einem neuen Rechner übersetzt, "
        "einmalig, eine Minute oder zwei."
    ),
    "The coach looks at every trick.": "Der Trainer sieht sich jeden Stich an.",
    "The coach looks at every trick: {trick} of {of} …": "Der Trainer sieht sich jeden Stich an: {trick} von {of} …",
    "The coach's line from trick {trick} on": "Wie der Trainer ab Stich {trick} spielt",
    "Seat {seat}": "Platz {seat}",
    "{name} (seat {seat})": "{name} (Platz {seat})",
    "South": "Süd",
    "Said to {who}.": "Gesagt zu {who}.",
    "Said to {who}; your own seat is called South here.": "Gesagt zu {who}; dein eigener Platz heißt hier Süd.",
    "No puzzles yet: review a deal, and your mistakes become puzzles.": (
        "Noch keine Aufgaben: sieh dir den Rückblick einer Runde an, dann werden deine Fehler dazu."
    ),
    "No puzzle is due now.": "Gerade ist keine Aufgabe fällig.",
    "nobody has to play a card there; step to a decision": "Dort ist niemand dran; geh zu einer Entscheidung.",
    "the coach does not help against friends; ask for a review after the deal": (
        "Gegen Freunde hilft der Trainer nicht; frag nach der Runde nach einem Rückblick."
    ),
    "nobody plays here whose decisions could be reviewed": "Hier spielt niemand, dessen Karten man ansehen könnte.",
    "you did not play in this deal": "In dieser Runde hast du nicht gespielt.",
    "the deal has {n} cards, none at place {at}": "Die Runde hat {n} Karten, keine an Stelle {at}.",
    "there is no puzzle {number}": "Eine Aufgabe {number} gibt es nicht.",
    "you have not played a card yet": "Du hast noch keine Karte gespielt.",
    "there is nothing to count now": "Jetzt gibt es nichts zu zählen.",
    "no moon can be shot now": "Jetzt kann niemand alle Punkte holen.",
}
TABLES = {
    "Deal {n}": "Runde {n}",
    "1 deal": "1 Runde",
    "{n} deals": "{n} Runden",
    "{n} of {of} deals": "{n} von {of} Runden",
    "no deal is finished yet": "Noch ist keine Runde fertig.",
    "there is no deal in this text": "In diesem Text ist keine Runde.",
    "this deal was imported: it has no proof here": "Diese Runde wurde aufgenommen: hier hat sie keinen Beweis.",
    "this proof does not hold: {what} is not so": "Dieser Beweis hält nicht; so ist es nicht: {what}",
    "this table could not be kept; open it again, and it goes on with the last card that was": (
        "Dieser Tisch ließ sich nicht speichern; öffne ihn wieder, dann geht er nach der letzten gespeicherten weiter."
    ),
    "this key does not open the house: take the whole address that `heartlab play` has printed": (
        "Dieser Schlüssel öffnet das Haus nicht: Nimm die ganze Adresse, die `heartlab play` ausgegeben hat."
    ),
    "this is not a whole address: a part of its key is missing or changed": (
        "Diese Adresse ist nicht ganz: ein Teil ihres Schlüssels fehlt oder ist verändert."
    ),
    "this key opens no table": "Dieser Schlüssel öffnet keinen Tisch.",
    "{n} tables are busy; try again later": "{n} Tische sind besetzt; versuche es später noch einmal.",
    "a deal of several people is not played again; step through it instead": (
        "Eine Runde mit Freunden wird nicht noch einmal gespielt; sieh sie dir an."
    ),
    "only a daily deal that is over is compared": "Verglichen wird nur eine fertige Runde des Tages.",
    "{what} ({error})": "{what} ({error})",
    "{at} cards were played when this card was chosen, and now it is {now}": (
        "Als diese Karte gewählt wurde, lagen {at} Karten, jetzt sind es {now}."
    ),
    "what you see does not prove this claim": "Was du siehst, beweist das nicht.",
    "what is kept of this table is damaged, so it cannot be opened; it is left as it is": (
        "Was von diesem Tisch gespeichert ist, ist beschädigt und lässt sich nicht öffnen; es bleibt, wie es ist"
    ),
    "this cannot be kept, so it was not done ({error}); open the table again": (
        "Das lässt sich nicht speichern und wurde darum nicht getan ({error}); öffne den Tisch noch einmal."
    ),
    "open or create a table first": "Öffne erst einen Tisch.",
    "something went wrong in the server; what was played is kept": (
        "Im Server ging etwas schief; was gespielt wurde, ist gespeichert."
    ),
    "too many messages; wait a moment": "Zu viele Anfragen; warte einen Augenblick.",
    "a message has at most {n} characters, a record file {file}": (
        "Eine Nachricht hat höchstens {n} Zeichen, eine Aufzeichnung {file}."
    ),
    "these rules need {wanted} bots, not {n}": "Diese Regeln brauchen {wanted} Gegner, nicht {n}.",
    "deal {number} of this table is not finished, or does not exist": (
        "Runde {number} dieses Tisches ist nicht fertig oder gibt es nicht."
    ),
    "bots play on all seats here, and you watch": "Hier spielen Bots auf allen Plätzen, und du siehst zu.",
    "there is no moon of yours to decide on now": "Hier ist jetzt nichts zu entscheiden.",
    "cards can be taken back in practice only": "Karten lassen sich nur beim Üben zurücknehmen.",
    "there is no card of yours to take back": "Du hast keine Karte, die du zurücknehmen könntest.",
}
FRIENDS = {
    "say what the others shall call you: a name of printable letters, not You": (
        "Sag, wie die anderen dich nennen sollen: ein Name aus druckbaren Zeichen, nicht You."
    ),
    "somebody at this table is called {name} already; choose another name": (
        "An diesem Tisch heißt schon jemand {name}; nimm einen anderen Namen."
    ),
    "this invitation is not valid any more; ask your host for a new link": (
        "Diese Einladung gilt nicht mehr; bitte um einen neuen Link."
    ),
    "your host has given this seat to a bot": "Dein Platz wurde einem Bot gegeben.",
    "no guest sits there": "Dort sitzt kein Gast.",
    "the game is over": "Das Spiel ist vorbei.",
    "the game is not over": "Das Spiel ist noch nicht vorbei.",
    "this deal is not finished": "Diese Runde ist noch nicht fertig.",
    "this is not a table of friends": "Das ist kein Tisch mit Freunden.",
    "only the host can do that": "Das kann nur, wer eingeladen hat.",
    "you sit at this table already": "Du sitzt schon an diesem Tisch.",
    "the game is over; ask your host for a rematch": "Das Spiel ist vorbei; bitte um eine Revanche.",
    "all seats of this table are taken now": "Alle Plätze dieses Tisches sind jetzt besetzt.",
    "the host has not begun yet": "Es wurde noch nicht begonnen.",
    "you sit down with the next deal": "Du spielst ab der nächsten Runde mit.",
    "with friends there is no practice, no watching and no seed of one's own": (
        "Mit Freunden gibt es kein Üben, kein Zusehen und keine eigene Zufallszahl."
    ),
}

GERMAN = Language(COACH | RULES_ERRORS | RULES | COACHING | TABLES | FRIENDS, ",")
