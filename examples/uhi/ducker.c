/* A Hearts bot in C. Build and try it:
 *     cc -O2 -o ducker examples/uhi/ducker.c && heartlab arena "exec:./ducker" gnome
 * It counts cards: it leads the suit with most cards still out, ducks when it can, and discards points when it may.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLUBS, DIAMONDS, SPADES, HEARTS, SUITS, RANKS = 13, CARDS = 52, QUEEN = SPADES * RANKS + 10 };

static const char *RANK_NAMES = "23456789TJQKA", *SUIT_NAMES = "CDSH";

static struct {
    int players, pass_count, points_at_first, any_lead, pass_high_spades, queen_breaks;
    char opening[32];
} rules;
static int hand[CARDS], seen[CARDS];             /* what we hold; what has been played or is ours */
static int plays, size, led, top, broken;        /* cards played; cards on the table, their suit and best rank */

static int card_of(const char *name) {
    const char *rank = name[0] ? strchr(RANK_NAMES, name[0]) : NULL, *suit = rank && name[1] ? strchr(SUIT_NAMES, name[1]) : NULL;
    return suit ? (int)(suit - SUIT_NAMES) * RANKS + (int)(rank - RANK_NAMES) : -1;
}

static int points(int card) { return card == QUEEN ? 13 : card / RANKS == HEARTS; }

static int holds(int suit) {
    for (int rank = 0; rank < RANKS; rank++)
        if (hand[suit * RANKS + rank]) return 1;
    return 0;
}

static int out(int suit) { /* cards of a suit that others hold */
    int count = 0;
    for (int rank = 0; rank < RANKS; rank++) count += !seen[suit * RANKS + rank];
    return count;
}

/* The text behind "key": in the rules, which are JSON in one line; NULL if the key is not there. */
static const char *rule(const char *line, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(line, quoted);
    return found ? found + strlen(quoted) : NULL;
}

static int number(const char *line, const char *key, int standard) {
    const char *text = rule(line, key);
    return text ? atoi(text) : standard;
}

static int yes(const char *line, const char *key, int standard) {
    const char *text = rule(line, key);
    return text ? !strncmp(text, "true", 4) : standard;
}

static void new_game(const char *line) {
    const char *text = rule(line, "opening"), *hearts = rule(line, "hearts");
    rules.players = number(line, "players", 4);
    rules.pass_count = number(line, "pass_count", 3);
    rules.points_at_first = yes(line, "first_trick_points", 0);
    rules.pass_high_spades = yes(line, "pass_high_spades", 1);
    rules.queen_breaks = yes(line, "queen_breaks_hearts", 0);
    rules.any_lead = hearts && !strncmp(hearts, "\"any\"", 5);
    if (!text || sscanf(text, "\"%31[^\"]", rules.opening) != 1) strcpy(rules.opening, "2C");
}

static void new_deal(char *words) {
    memset(hand, 0, sizeof hand);
    memset(seen, 0, sizeof seen);
    plays = size = 0;
    broken = rules.any_lead;
    for (char *word = strtok(words, " "); word && strcmp(word, "pass"); word = strtok(NULL, " ")) {
        int card = card_of(word);
        if (card >= 0) hand[card] = seen[card] = 1;
    }
}

static void played(int card) {
    if (size == 0) led = card / RANKS, top = -1;
    if (card / RANKS == led && card % RANKS > top) top = card % RANKS;
    if (card / RANKS == HEARTS || (card == QUEEN && rules.queen_breaks)) broken = 1;
    hand[card] = 0;
    seen[card] = 1;
    plays++;
    size = (size + 1) % rules.players;
}

static int allowed(int card, int last_resort) {
    int suit = card / RANKS;
    if (!hand[card] || (size && holds(led) && suit != led)) return 0;
    if (!plays && strcmp(rules.opening, "random") && strcmp(rules.opening, "left-of-dealer")) {
        if (suit != CLUBS) return 0;
        if (strcmp(rules.opening, "any-club"))
            for (int lower = 0; lower < card; lower++)
                if (hand[lower]) return 0;
        return 1;
    }
    if (last_resort) return 1;
    if (plays < rules.players && !rules.points_at_first && points(card)) return 0;
    return size || broken || suit != HEARTS;
}

static int value(int card) {
    int suit = card / RANKS, rank = card % RANKS;
    if (size && suit != led) return 100 * points(card) + 3 * rank - out(suit);
    if (size && rank < top) return 100 + rank;              /* duck as high as can be */
    if (size) return size == rules.players - 1 ? rank : -rank; /* the last to play and bound to win: win high */
    if (suit == SPADES && !seen[QUEEN] && rank < 10) return 60 - rank; /* flush out the queen */
    return 4 * out(suit) - 5 * rank;
}

static int choose_card(void) {
    int best = -1;
    for (int last_resort = 0; best < 0 && last_resort < 2; last_resort++)
        for (int card = 0; card < CARDS; card++)
            if (allowed(card, last_resort) && (best < 0 || value(card) > value(best))) best = card;
    return best;
}

static void say_pass(void) {
    int given[CARDS] = {0};
    printf("pass");
    for (int count = 0; count < rules.pass_count; count++) {
        int best = -1, worth = -1;
        for (int card = 0; card < CARDS; card++) {
            int high_spade = card >= QUEEN && card <= QUEEN + 2, now = card % RANKS + (high_spade ? 20 : 0);
            if (!hand[card] || given[card] || (high_spade && !rules.pass_high_spades)) continue;
            if (now > worth) best = card, worth = now;
        }
        if (best < 0) break;
        given[best] = 1;
        printf(" %c%c", RANK_NAMES[best % RANKS], SUIT_NAMES[best / RANKS]);
    }
    printf("\n");
}

int main(void) {
    static char line[65536];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        char *rest = strchr(line, ' ');
        rest = rest ? rest + 1 : line + strlen(line);
        if (!strncmp(line, "uhi ", 4)) printf("id name ducker\nid author the heartlab engineers\nuhiok\n");
        else if (!strncmp(line, "newgame ", 8)) new_game(line);
        else if (!strncmp(line, "newdeal ", 8)) new_deal(rest);
        else if (!strncmp(line, "pass?", 5)) say_pass();
        else if (!strncmp(line, "passed ", 7) || !strncmp(line, "received ", 9)) {
            int ours = line[0] == 'r';
            for (char *word = strtok(rest, " "); word; word = strtok(NULL, " ")) {
                int card = card_of(word);
                if (card >= 0) hand[card] = ours, seen[card] |= ours;
            }
        } else if (!strncmp(line, "played ", 7)) {
            char *name = strchr(rest, ' ');
            int card = name ? card_of(name + 1) : -1;
            if (card >= 0) played(card);
        } else if (!strncmp(line, "card?", 5)) {
            int card = choose_card();
            if (card >= 0) printf("card %c%c\n", RANK_NAMES[card % RANKS], SUIT_NAMES[card / RANKS]);
        } else if (!strcmp(line, "quit")) return 0;
        fflush(stdout);
    }
    return 0;
}
