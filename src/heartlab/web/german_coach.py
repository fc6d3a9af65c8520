"""What the coach says, in German: by the English templates of :mod:`heartlab.coach`."""

from __future__ import annotations

PARTS = {
    "in {n} of 100 deals": "in {n} von 100 Fällen",
    "in none of 100 deals": "in keinem von 100 Fällen",
    "in all 100 deals": "in allen 100 Fällen",
    "in {n}": "in {n}",
    "in none": "in keinem",
    "in all": "in allen",
    "1 point": "1 Punkt",
    "{n} points": "{n} Punkte",
    "no points": "keine Punkte",
    "hardly any points": "kaum Punkte",
    "{mean:.1f} points": "{mean:.1f} Punkte",
    "{mean:.1f} points on average": "im Mittel {mean:.1f} Punkte",
    "1 low spade": "1 kleines Pik",
    "{n} low spades": "{n} kleine Pik",
    "{one} or {others}": "{one} oder {others}",
    "{one} and {others}": "{one} und {others}",
    "{one}, {others}": "{one}, {others}",
    "clubs": "Kreuz",
    "diamonds": "Karo",
    "spades": "Pik",
    "hearts": "Herz",
    "club": "Kreuz",
    "diamond": "Karo",
    "spade": "Pik",
    "heart": "Herz",
    "you": "du",
    "{who} as {player}": "{who} wie {player}",
}
CARDS = {
    "Play {card}.": "Spiele {card}.",
    "Play {one} or {other}.": "Spiele {one} oder {other}.",
    "Any card: they are about the same.": "Irgendeine: alle sind etwa gleich gut.",
    "Anything but {cards}.": "Alles außer {cards}.",
    "Any of these: {cards}.": "Eine von diesen: {cards}.",
    "It is the only legal card.": "Es ist die einzige erlaubte Karte.",
    "You take no more points with any of them.": "Mit keiner von ihnen nimmst du noch Punkte.",
    "You end with about {mean:.1f} points whichever you play.": (
        "Am Ende hast du mit jeder von ihnen etwa {mean:.1f} Punkte."
    ),
    "You shoot the moon {share} whichever you play.": "Du holst alle Punkte {share}, was du auch spielst.",
    "{who} shoots the moon {share} whichever you play.": "{who} holt alle Punkte {share}, was du auch spielst.",
    "You shoot the moon with any of them.": "Mit jeder von ihnen holst du alle Punkte.",
    "You end with {points} whichever you play.": "Am Ende hast du mit jeder von ihnen {points}.",
    "You take hardly any more points with any of them.": "Mit keiner von ihnen nimmst du noch viele Punkte.",
    "You have shot the moon: nothing more can happen.": "Du hast alle Punkte geholt: mehr kann nicht geschehen.",
    "{who} has shot the moon: nothing more can happen.": "{who} hat alle Punkte geholt: mehr kann nicht geschehen.",
    "You end with {here:.1f} points on average after {this}, {there:.1f} after {that}.": (
        "Am Ende hast du nach {this} im Mittel {here:.1f} Punkte, nach {that} {there:.1f}."
    ),
    "{this} costs {gap:.1f} points less than {that}.": "{this} kostet {gap:.1f} Punkte weniger als {that}.",
    "{this} costs {cost:.1f} points more than {that}.": "{this} kostet {cost:.1f} Punkte mehr als {that}.",
    "Duck: you are last, and Q♠ lies there; {card} stays under {high}.": (
        "Bleib darunter: du bist zuletzt dran, und Q♠ liegt da; {card} bleibt unter {high}."
    ),
    "Duck: Q♠ lies there; {card} stays under {high}.": "Bleib darunter: Q♠ liegt da; {card} bleibt unter {high}.",
    "Duck: {card} leaves {points} to somebody else.": "Bleib darunter: {card} lässt {points} einem anderen.",
    "Duck: {card} stays under {high}.": "Bleib darunter: {card} ist kleiner als {high}.",
    "Duck high: {card} is the highest that stays under {high}.": (
        "Knapp darunter: {card} ist die höchste, die unter {high} bleibt."
    ),
    "Flush the queen: {card} cannot take Q♠.": "Treib die Dame heraus: {card} kann Q♠ nicht nehmen.",
    "Flush the queen: {card} cannot take Q♠, which must fall {share}.": (
        "Treib die Dame heraus: {card} kann Q♠ nicht nehmen, und {share} muss sie fallen."
    ),
    "Stop {who}'s moon: {how}; the moon succeeds {here}, after {worst} {there}.": (
        "Verhindere, dass {who} alle Punkte holt: {how}; alle zu holen gelingt dann {here}, nach {worst} {there}."
    ),
    "Make {who}'s moon harder: {how}; the moon succeeds {here}, after {worst} {there}.": (
        "Mach es {who} schwerer, alle Punkte zu holen: {how}; alle zu holen gelingt dann {here}, nach {worst} {there}."
    ),
    "throw points on {who}'s trick": "gib {who} Punkte in den Stich",
    "throw no points on {who}'s trick": "gib {who} keine Punkte in den Stich",
    "win this trick with {card}": "nimm diesen Stich mit {card}",
    "play {card}": "spiele {card}",
    "keep {card}": "behalte {card}",
    "take one heart yourself": "nimm selbst ein Herz",
    "take {price:.0f} points now to save {total}": "nimm jetzt {price:.0f} Punkte, um {total} zu sparen",
    "keep {card} to take a heart later": "behalte {card}, um später ein Herz zu nehmen",
    "do not lead {suit}, which {who} needs": "spiele kein {suit} aus, das braucht {who}",
    "Shoot the moon: it succeeds {share}.": "Hol alle Punkte: es gelingt {share}.",
    "Shoot the moon: it succeeds {share}, after {other} only {least}.": (
        "Hol alle Punkte: es gelingt {share}, nach {other} nur {least}."
    ),
    "Shoot the moon: it succeeds {share}, after {other} never.": (
        "Hol alle Punkte: es gelingt {share}, nach {other} nie."
    ),
    "Get rid of Q♠: {who} is winning this trick.": "Weg mit Q♠: {who} liegt in diesem Stich vorn.",
    "Get rid of {card}: it could take Q♠, which is still out.": (
        "Weg mit {card}: sie könnte Q♠ nehmen, und die fehlt noch."
    ),
    "Get rid of {card} now, while it cannot take Q♠.": "Weg mit {card}, solange sie Q♠ nicht nehmen kann.",
    "Throw a heart: {card} gives {points} away.": "Wirf ein Herz ab: {card} gibt {points} weg.",
    "Throw high: {card} could win a trick that you do not want.": (
        "Wirf hoch ab: {card} könnte einen Stich holen, den du nicht willst."
    ),
    "Keep your spade below Q♠ to guard her.": "Behalte dein Pik unter Q♠, um sie zu schützen.",
    "Keep your {n} spades below Q♠ to guard her.": "Behalte deine {n} Pik unter Q♠, um sie zu schützen.",
    "Make a void: {card} is your last {suit}.": "Mach dich frei: {card} ist dein letztes {suit}.",
    "Take it high: the trick is yours anyway, and {low} stays as an exit.": (
        "Nimm hoch: der Stich gehört dir sowieso, und mit {low} kommst du wieder heraus."
    ),
    "Spend {card} while the trick is cheap ({price}); {low} stays as an exit.": (
        "Gib {card} her, solange der Stich billig ist ({price}); mit {low} kommst du wieder heraus."
    ),
    "Lead {card} while it is cheap ({price}); {low} stays as an exit.": (
        "Spiele {card} aus, solange das billig ist ({price}); mit {low} kommst du wieder heraus."
    ),
    "Keep {low} as an exit.": "Behalte {low}, um später herauszukommen.",
    "{card} cannot win under {high}; {low} stays as an exit.": (
        "Unter {high} kann {card} nicht gewinnen; mit {low} kommst du später heraus."
    ),
    "Stay low: somebody goes over {card} {share}.": "Bleib klein: {share} geht jemand über {card}.",
    "{card} is low enough: somebody goes over it {share}.": "{card} ist klein genug: {share} geht jemand darüber.",
    "Lose the lead: somebody beats {card} {share}.": "Gib das Ausspiel ab: {share} schlägt jemand {card}.",
    "Taking this trick is cheap: {price}.": "Diesen Stich zu nehmen ist billig: {price}.",
    "Catch {what}: {card} takes it.": "Fang {what}: {card} nimmt sie.",
    "Catch {what}: {card} takes it {share}.": "Fang {what}: {card} nimmt sie {share}.",
    "You take Q♠ {here} {this}, {there} {that}.": "Du nimmst Q♠ {here}{this}, {there}{that}.",
    "after {card}": " nach {card}",
    "if you play her now": ", wenn du sie jetzt spielst",
    "You end with {here} of hearts on average after {this}, {there:.1f} after {that}.": (
        "Am Ende hast du nach {this} im Mittel {here} in Herz, nach {that} {there:.1f}."
    ),
    "{who} shoots the moon {here} after {this}, {there} after {that}.": (
        "{who} holt alle Punkte {here} nach {this}, {there} nach {that}."
    ),
    "You shoot the moon {here} with {this}, {there} with {that}.": (
        "Du holst alle Punkte {here} mit {this}, {there} mit {that}."
    ),
    "{what} takes off {here:.1f} points on average after {this}, {there:.1f} after {that}.": (
        "{what} spart im Mittel {here:.1f} Punkte nach {this}, {there:.1f} nach {that}."
    ),
    "You end with {here:.1f} points of other cards on average after {this}, {there:.1f} after {that}.": (
        "Am Ende hast du nach {this} im Mittel {here:.1f} Punkte in anderen Karten, nach {that} {there:.1f}."
    ),
}
PASSES = {
    "Pass {cards}.": "Gib {cards} weiter.",
    "Nothing speaks for it but the numbers.": "Dafür sprechen nur die Zahlen.",
    "You shoot the moon {here} with these, {there} if you pass {cards}.": (
        "Du holst alle Punkte {here} mit diesen, {there}, wenn du {cards} weitergibst."
    ),
    "Play for the moon: you shoot it {here}.": "Spiel auf alle Punkte: es gelingt {here}.",
    "Play for the moon: you shoot it {here}, {there} if you pass {cards}.": (
        "Spiel auf alle Punkte: es gelingt {here}, {there}, wenn du {cards} weitergibst."
    ),
    "You take Q♠ {here} if you pass her, {there} if you keep her.": (
        "Du nimmst Q♠ {here}, wenn du sie weitergibst, {there}, wenn du sie behältst."
    ),
    "Q♠ has no low spade to guard her: pass her on.": "Q♠ hat kein kleines Pik, das sie schützt: gib sie weiter.",
    "Q♠ has only {low} to guard her: pass her on.": "Q♠ hat nur {low}, sie zu schützen: gib sie weiter.",
    "Keep low spades: Q♠ is safe with {n} of them.": "Behalte kleine Pik: mit {n} davon ist Q♠ sicher.",
    "Keep low spades: you have {n} beside {high}.": "Behalte kleine Pik: du hast {n} neben {high}.",
    "Keep low spades: you have {n} below Q♠.": "Behalte kleine Pik: du hast {n} unter Q♠.",
    "{cards} could take Q♠, and you have no low spade to duck with.": (
        "{cards} könnte Q♠ nehmen, und du hast kein kleines Pik, um darunter zu bleiben."
    ),
    "{cards} could take Q♠, and you have only {low} to duck with.": (
        "{cards} könnte Q♠ nehmen, und du hast nur {low}, um darunter zu bleiben."
    ),
    "Get rid of {cards}, which could take Q♠.": "Weg mit {cards}, womit du Q♠ nehmen könntest.",
    "Void in {suits}: there you can throw what hurts.": "Ohne {suits} wirfst du darauf ab, was wehtut.",
    "Nearly void in {suit}: only {card} stays.": "Fast ohne {suit}: nur {card} bleibt.",
    "Hold back {high}: it stops a moon, and {low} ducks.": (
        "Behalte {high}: damit holt niemand alle Punkte, und {low} bleibt darunter."
    ),
    "{cards} makes a moon harder for whoever gets it: a low heart seldom wins a trick.": (
        "Wer {cards} bekommt, holt schwerer alle Punkte: ein kleines Herz gewinnt selten einen Stich."
    ),
    "{cards} make a moon harder for whoever gets them: low hearts seldom win a trick.": (
        "Wer {cards} bekommt, holt schwerer alle Punkte: kleine Herzen gewinnen selten einen Stich."
    ),
    "{cards} would take hearts: let somebody else have it.": "{cards} nähme Herzen: lass sie einem anderen.",
    "{cards} would take hearts: let somebody else have them.": "{cards} nähmen Herzen: lass sie einem anderen.",
    "{cards} would win tricks that you do not want.": "{cards}: damit gewinnst du Stiche, die du nicht willst.",
}
COUNTING = {
    "Q♠ is in your hand.": "Q♠ hast du.",
    "Q♠ has been played.": "Q♠ ist gefallen.",
    "Q♠ is with {who}.": "Q♠ hat {who}.",
    "Q♠ lies in the kitty.": "Q♠ liegt im Rest.",
    "Q♠ is out; most likely with {who} ({share:.0f} %).": "Q♠ fehlt noch; am ehesten hat sie {who} ({share:.0f} %).",
    "Q♠ is out; as likely with {some} as with {who} ({share:.0f} % each).": (
        "Q♠ fehlt noch; {some} und {who} haben sie gleich wahrscheinlich (je {share:.0f} %)."
    ),
    "All points so far are yours ({points}), and {share} you shoot the moon 😉": (
        "Bisher gehören alle Punkte dir ({points}), und {share} holst du alle 😉"
    ),
    "{who} has all points so far ({points}).": "{who} hat bisher alle Punkte ({points}).",
    "{who} has all points so far ({points}) and shoots the moon {share}: take a point, or give one to somebody else.": (
        "{who} hat bisher alle Punkte ({points}) und holt {share} alle: nimm einen Punkt, oder gib einem anderen einen."
    ),
    "{who} has all points so far ({points}) and shoots the moon {share}: no card changes that by much.": (
        "{who} hat bisher alle Punkte ({points}) und holt {share} alle: keine Karte ändert viel daran."
    ),
    "{who} has all points so far ({points}) and shoots the moon {share}, after {card} {less}.": (
        "{who} hat bisher alle Punkte ({points}) und holt {share} alle, nach {card} {less}."
    ),
    "{who} has all points so far ({points}) and shoots the moon {share}: to stop it now costs more than it saves.": (
        "{who} hat bisher alle Punkte ({points}) und holt {share} alle: das jetzt zu verhindern kostet mehr, als es "
        "spart."
    ),
    "These rules know no moon.": "Diese Regeln kennen keinen Durchmarsch.",
    "No moon any more: the points are split.": "Niemand kann mehr alle Punkte holen: sie sind verteilt.",
    "No moon in sight.": "Dass jemand alle Punkte holt, ist nicht in Sicht.",
    "A moon succeeds {share}.": "Alle Punkte zu holen gelingt {share}.",
}
REVIEW = {
    "You shot the moon!": "Du hast alle Punkte geholt!",
    "{who} shot the moon, and it cost you {points}.": "{who} hat alle Punkte geholt; das kostete dich {points}.",
    "{who} shot the moon.": "{who} hat alle Punkte geholt.",
    "{took}.": "{took}.",
    "{took}; {moon}.": "{took}; {moon}.",
    "Not a single point: well done": "Kein einziger Punkt: gut gemacht",
    "Not a single point, with some luck": "Kein einziger Punkt, mit etwas Glück",
    "You end with {points}, {card} included": "Am Ende hast du {points}, {card} eingerechnet",
    "You took {points}": "Du nahmst {points}",
    "You took {points}, with Q♠": "Du nahmst {points}, mit Q♠",
    "You took {points}, without Q♠": "Du nahmst {points}, ohne Q♠",
    "you had all the points until trick {trick}, which {who} won": (
        "du hattest alle Punkte bis Stich {trick}, den {who} gewann"
    ),
    "you stopped {who}'s moon at trick {trick}": "du hast verhindert, dass {who} alle Punkte holt, in Stich {trick}",
    "{other} stopped {who}'s moon at trick {trick}": (
        "{other} hat verhindert, dass {who} alle Punkte holt, in Stich {trick}"
    ),
    "You lost most at trick {trick}: {card} instead of {best} cost {cost:.1f} points.": (
        "Am meisten kostete Stich {trick}: {card} statt {best}, {cost:.1f} Punkte."
    ),
    "At trick {trick}, {card} instead of {best} risked {cost:.1f} points.": (
        "In Stich {trick} setzte {card} statt {best} {cost:.1f} Punkte aufs Spiel."
    ),
    "You lost most with your pass, {cost:.1f} points.": "Am meisten kostete das Weitergeben, {cost:.1f} Punkte.",
    "You passed up a chance of a moon at trick {trick}: {card} instead of {best} cost {cost:.1f} points.": (
        "In Stich {trick} hast du eine Gelegenheit zu allen Punkten verpasst: {card} statt {best} kostete {cost:.1f} "
        "Punkte."
    ),
    "You passed up a chance of a moon with your pass: it cost {cost:.1f} points.": (
        "Mit dem Weitergeben hast du eine Gelegenheit zu allen Punkten verpasst: das kostete {cost:.1f} Punkte."
    ),
    "Your pass risked {cost:.1f} points.": "Das Weitergeben setzte {cost:.1f} Punkte aufs Spiel.",
    "That was bad luck, not bad play.": "Das war Pech, kein Fehler.",
    "There was no card to decide on.": "Zu entscheiden gab es nichts.",
    "Your only decision was no mistake.": "Deine einzige Entscheidung war kein Fehler.",
    "None of your {n} decisions was a mistake.": "Keine deiner {n} Entscheidungen war ein Fehler.",
    "Well played.": "Gut gespielt.",
    "Small things added up to {cost:.1f} points.": "Kleinigkeiten summierten sich auf {cost:.1f} Punkte.",
    "The rest was fine.": "Der Rest war gut.",
    "The rest was fine, and most of your points were bad luck.": "Der Rest war gut, und die meisten Punkte waren Pech.",
    "The rest cost {cost:.1f} points.": "Der Rest kostete {cost:.1f} Punkte.",
    "The rest cost {cost:.1f} points; most of yours were bad luck.": (
        "Der Rest kostete {cost:.1f} Punkte; die meisten deiner Punkte waren Pech."
    ),
    "A decision counts if it cost more than twice its standard error over the deals that fit, and is a mistake from "
    "{least} points on.": (
        "Eine Entscheidung zählt, wenn sie mehr als zwei Standardfehler über die passenden Verteilungen kostet, und "
        "ist ab {least} Punkten ein Fehler."
    ),
    "Your pass {cards} costs {cost:.1f} points more than {better}.": (
        "{cards} weiterzugeben kostet {cost:.1f} Punkte mehr als {better}."
    ),
    "Your pass {cards} was the coach's too.": "{cards} hätte auch der Trainer weitergegeben.",
    "Your pass {cards} was about as good as the coach's.": (
        "{cards} weiterzugeben war etwa so gut wie die Wahl des Trainers."
    ),
    "Your pass {cards} was not much worse than the coach's.": (
        "{cards} weiterzugeben war kaum schlechter als die Wahl des Trainers."
    ),
    "Counted in {n} deals that fit what you have seen, played to the end: so late every card is solved.": (
        "Gezählt in {n} Verteilungen, die zu dem passen, was du gesehen hast, zu Ende gespielt: so spät ist jede Karte "
        "gelöst."
    ),
    "Counted in {n} deals that fit what you have seen, played to the end by the level at the table: {who}.": (
        "Gezählt in {n} Verteilungen, die zu dem passen, was du gesehen hast, zu Ende gespielt wie am Tisch: {who}."
    ),
    "Counted in {n} deals that fit what you have seen, played to the end by simple rules ({players}): the learned "
    "player does not know the rules {rules}.": (
        "Gezählt in {n} Verteilungen, die zu dem passen, was du gesehen hast, zu Ende gespielt nach einfachen Regeln "
        "({players}): der gelernte Spieler kennt die Regeln {rules} nicht."
    ),
    "A moon counts as {n} for the shooter and against the others.": (
        "Alle Punkte zu holen zählt {n} für den, der es schafft, und gegen die anderen."
    ),
    "Trick {trick}: which card costs least?": "Stich {trick}: welche Karte kostet am wenigsten?",
    "{card} is about as good.": "{card} ist etwa so gut.",
    "It comes back in {minutes} minutes.": "Sie kommt in {minutes} Minuten wieder.",
    "Solved once: it comes back tomorrow.": "Einmal gelöst: sie kommt morgen wieder.",
    "Solved {n} times in a row: it comes back in {days} days.": (
        "{n}-mal hintereinander gelöst: sie kommt in {days} Tagen wieder."
    ),
    "Review at least two deals to get an estimate.": "Für eine Schätzung braucht es zwei Runden mit Rückblick.",
    "Your decisions cost {mean:.1f} points a deal in the coach's eyes ({low:.1f} to {high:.1f}, 95 % interval over {n} "
    "deals); what is within the noise is left out.": (
        "Deine Entscheidungen kosten nach Ansicht des Trainers {mean:.1f} Punkte je Runde ({low:.1f} bis {high:.1f}, "
        "95-%-Intervall über {n} Runden); was im Rauschen liegt, ist weggelassen."
    ),
    "Too few deals to compare you with our players: {n} are needed.": (
        "Für einen Vergleich mit unseren Spielern sind es zu wenige Runden: {n} braucht es."
    ),
    "That is like {players}.": "Das ist wie {players}.",
    "That is better than {player}.": "Das ist besser als {player}.",
    "That is more than {player} gives away.": "Das ist mehr, als {player} verschenkt.",
    "Deals count that you play under standard rules, with a seed unknown to you, and without the coach's help.": (
        "Es zählen Runden nach den üblichen Regeln, mit einer Zufallszahl, die du nicht kennst, und ohne Hilfe des "
        "Trainers."
    ),
}
LEARNED = {
    "The words: ideas of Hearts, checked in the sampled deals; advice weighed by learning under {advice} rules "
    "(advice-four); features of a network that learned under {network} rules (td). Both learned ones are silent under "
    "rules with other cards or points.": (
        "Die Worte: Ideen von Hearts, geprüft in den gezogenen Verteilungen; Ratschläge, durch Lernen gewichtet nach "
        "den Regeln {advice} (advice-four); Merkmale eines Netzes, das nach den Regeln {network} lernte (td). Beide "
        "gelernten schweigen bei Regeln mit anderen Karten oder Punkten."
    ),
    "Where a moon threatens they are silent too: the network learned without the moon.": (
        "Auch wo jemand alle Punkte holen könnte, schweigen sie: das Netz lernte ohne das."
    ),
    "Points once the trick is over: {there:.1f} on average after {other}, {here:.1f} after {choice}.": (
        "Punkte nach diesem Stich: im Mittel {there:.1f} nach {other}, {here:.1f} nach {choice}."
    ),
    "Learned feature: {what}, in {times} of {of} deals after {often} and in {fewer} after {seldom}: this makes {often} "
    "{effect:.1f} points worse.": (
        "Gelerntes Merkmal: {what}, in {times} von {of} Verteilungen nach {often} und in {fewer} nach {seldom}: das "
        "macht {often} um {effect:.1f} Punkte schlechter."
    ),
    "Learned feature: {what}, in {times} of {of} deals after {often} and in {fewer} after {seldom}: this makes {often} "
    "{effect:.1f} points better.": (
        "Gelerntes Merkmal: {what}, in {times} von {of} Verteilungen nach {often} und in {fewer} nach {seldom}: das "
        "macht {often} um {effect:.1f} Punkte besser."
    ),
    "Learned advice (weight {weight:.2f}): {advice}": "Gelernter Rat (Gewicht {weight:.2f}): {advice}",
}
ADVICE = {
    "Play a card that is certain not to take points in this trick.": (
        "Spiele eine Karte, die in diesem Stich sicher keine Punkte nimmt."
    ),
    "As long as Q♠ is with somebody else, lead spades.": "Solange ein anderer Q♠ hat, spiele Pik aus.",
    "As long as Q♠ is with somebody else, lead a spade below it.": (
        "Solange ein anderer Q♠ hat, spiele ein kleineres Pik aus."
    ),
    "If there are points on the table, play a card that does not win so far.": (
        "Liegen Punkte im Stich, spiele eine Karte, die ihn bisher nicht gewinnt."
    ),
    "Play a card that wins so far.": "Spiele eine Karte, die den Stich bisher gewinnt.",
    "When leading or unable to follow, play a spade.": "Beim Ausspielen oder Abwerfen spiele ein Pik.",
    "When leading or unable to follow, play a diamond.": "Beim Ausspielen oder Abwerfen spiele ein Karo.",
    "When leading or unable to follow, play a club.": "Beim Ausspielen oder Abwerfen spiele ein Kreuz.",
    "When leading or unable to follow, play a heart.": "Beim Ausspielen oder Abwerfen spiele ein Herz.",
    "Throw Q♠ when it cannot win the trick.": "Wirf Q♠ ab, wenn sie den Stich nicht gewinnen kann.",
    "When unable to follow, throw the highest heart.": "Beim Abwerfen nimm das höchste Herz.",
    "When unable to follow and Q♠ is with somebody else, throw A♠ or K♠.": (
        "Beim Abwerfen, solange ein anderer Q♠ hat, nimm A♠ oder K♠."
    ),
    "Follow with the highest card that does not win.": "Bediene mit der höchsten Karte, die nicht gewinnt.",
    "Win a trick with the bonus card (J♦) on it, or win with the bonus card in last seat.": (
        "Gewinne den Stich, in dem die Bonuskarte (J♦) liegt, oder als Letzter mit ihr."
    ),
    "Play anything but the bonus card (J♦).": "Spiele alles außer der Bonuskarte (J♦).",
    "While Q♠ is with somebody else, play anything but A♠ and K♠.": (
        "Solange ein anderer Q♠ hat, spiele alles außer A♠ und K♠."
    ),
    "If all points so far are ours, at least four of them, play cards that win.": (
        "Gehören uns alle Punkte, mindestens vier, spiele Karten, die gewinnen."
    ),
    "If one rival has all points so far, at least fourteen, win tricks with points.": (
        "Hat ein Gegner alle Punkte, mindestens vierzehn, gewinne Stiche mit Punkten."
    ),
    "Lead the lowest card of a suit.": "Spiele die kleinste Karte einer Farbe aus.",
    "In last seat, win a trick without points with the highest card.": (
        "Als Letzter gewinne einen Stich ohne Punkte mit der höchsten Karte."
    ),
    "Lead a card that all unseen cards of its suit beat.": (
        "Spiele eine Karte aus, die von allen noch verborgenen ihrer Farbe geschlagen wird."
    ),
    "Lead a card above the bonus card (J♦) while that is with somebody else.": (
        "Spiele eine Karte über der Bonuskarte (J♦) aus, solange ein anderer sie hat."
    ),
    "While Q♠ is not played, do not lead spades if we hold Q♠, K♠ or A♠.": (
        "Solange Q♠ nicht gefallen ist, spiele kein Pik aus, wenn wir Q♠, K♠ oder A♠ haben."
    ),
    "When unable to follow, throw the card with most unseen cards of its suit below.": (
        "Beim Abwerfen nimm die Karte, unter der die meisten verborgenen ihrer Farbe sind."
    ),
    "When leading or unable to follow, play from the shortest suit.": (
        "Beim Ausspielen oder Abwerfen spiele von der kürzesten Farbe."
    ),
    "If every card that follows suit wins so far and others come after us, play the lowest.": (
        "Gewinnt bisher jede Karte der Farbe und kommen noch andere, spiele die kleinste."
    ),
    "If every card that follows suit wins and we are last, play the highest but not Q♠.": (
        "Gewinnt jede Karte der Farbe und sind wir die Letzten, spiele die höchste, aber nicht Q♠."
    ),
    "When a suit other than spades is led for the first time, follow with the highest.": (
        "Wird eine Farbe außer Pik zum ersten Mal ausgespielt, bediene mit der höchsten."
    ),
    "If one rival has all points so far, at least ten, throw no points on its trick.": (
        "Hat ein Gegner alle Punkte, mindestens zehn, wirf keine in seinen Stich."
    ),
    "Lead a heart that at least two unseen hearts beat.": (
        "Spiele ein Herz aus, das mindestens zwei verborgene Herzen schlagen."
    ),
    "When unable to follow, keep the cards that all unseen cards of their suit beat.": (
        "Beim Abwerfen behalte die Karten, die von allen verborgenen ihrer Farbe geschlagen werden."
    ),
}


FEATURES = {
    "we have Q♠": "wir haben Q♠",
    "we have A♠": "wir haben A♠",
    "we have K♠": "wir haben K♠",
    "we have five or more spades below Q♠": "wir haben fünf oder mehr Pik unter Q♠",
    "we have no spades below Q♠": "wir haben kein Pik unter Q♠",
    "we have one spade below Q♠": "wir haben ein Pik unter Q♠",
    "we have two spades below Q♠": "wir haben zwei Pik unter Q♠",
    "we have three spades below Q♠": "wir haben drei Pik unter Q♠",
    "we have four spades below Q♠": "wir haben vier Pik unter Q♠",
    "Q♠ is our only spade": "Q♠ ist unser einziges Pik",
    "A♠ is our only spade": "A♠ ist unser einziges Pik",
    "K♠ is our only spade": "K♠ ist unser einziges Pik",
    "we have the lead": "wir spielen aus",
    "the Q♠ player has no other spade below Q♠": "wer Q♠ hat, hat kein Pik darunter",
    "the Q♠ player has one spade below Q♠": "wer Q♠ hat, hat ein Pik darunter",
    "the Q♠ player has two spades below Q♠": "wer Q♠ hat, hat zwei Pik darunter",
    "the Q♠ player has three or more spades below Q♠": "wer Q♠ hat, hat drei oder mehr Pik darunter",
    "the Q♠ player is short in no side suit": "wer Q♠ hat, hat alle anderen Farben",
    "the Q♠ player is short in one side suit": "wer Q♠ hat, hat eine der anderen Farben nicht",
    "the Q♠ player is short in two side suits": "wer Q♠ hat, hat zwei der anderen Farben nicht",
    "the Q♠ player is short in all three side suits": "wer Q♠ hat, hat nur Pik",
    "we have taken Q♠": "wir haben Q♠ genommen",
    "another has taken Q♠": "ein anderer hat Q♠ genommen",
    "only we have taken points": "nur wir haben Punkte",
    "one other seat alone has taken points": "nur ein anderer hat Punkte",
    "two seats or more have taken points": "mehrere haben Punkte",
    "nobody has taken points": "niemand hat Punkte",
    "the only other seat with points has the lead": "der einzige andere mit Punkten spielt aus",
    "all points so far, ten or more, are with one seat": "einer hat alle Punkte, zehn oder mehr",
    "all points so far, twenty or more, are with one seat": "einer hat alle Punkte, zwanzig oder mehr",
}


def _features() -> dict[str, str]:
    """The 111 features that the network learned from: most of them differ in a suit or a number only."""
    suits = {"spade": "Pik", "diamond": "Karo", "club": "Kreuz", "heart": "Herz"}
    found = dict(FEATURES)
    for suit, name in suits.items():
        found |= {
            f"we were dealt three or more {suit}s": f"wir bekamen drei oder mehr {name}",
            f"we were dealt no {suit}s": f"wir bekamen kein {name}",
            f"we were dealt one {suit}": f"wir bekamen ein {name}",
            f"we were dealt two {suit}s": f"wir bekamen zwei {name}",
            f"we have no {suit}s": f"wir haben kein {name}",
            f"we have {suit}s": f"wir haben {name}",
            f"an opponent has no {suit}s": f"ein Gegner hat kein {name}",
            f"we have an exit in {suit}s": f"wir kommen in {name} heraus",
            f"the Q♠ player has no {suit}s": f"wer Q♠ hat, hat kein {name}",
            f"the leader has no {suit}s": f"wer ausspielt, hat kein {name}",
            f"the leader has {suit}s": f"wer ausspielt, hat {name}",
            f"we must win any {suit} trick": f"wir müssen jeden Stich in {name} nehmen",
        }
    for number in range(14):
        told, german = (
            ("no heart points" if number == 0 else f"{number} heart points"),
            f"{number or 'keine'} Herzpunkte",
        )
        if number == 1:
            told, german = "1 heart point", "1 Herzpunkt"
        found |= {
            f"we have taken {told}": f"wir haben {german}",
            f"the others have taken {told}": f"die anderen haben {german}",
            f"still to be taken: {told}": f"es fehlen noch {german}",
        }
    return found


COACH = PARTS | CARDS | PASSES | COUNTING | REVIEW | LEARNED | ADVICE | _features()
