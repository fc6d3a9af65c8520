// The hands of the analysis board: typed or clicked, they are the same four texts.
import { handText, inOrder } from "./cards.js";
import { CARDS, dealt } from "./verify.js";

/** @typedef {{ seat: number, hands: string[] }} Setup */

export const HAND = 13;

/** The cards of a hand that somebody has typed, each once; what is no card is left out. @param {string} text */
export const cardsOf = (text) => [...new Set(handText(text).split(" "))].filter((card) => CARDS.includes(card));

/** @param {string[]} cards */
const written = (cards) => [...cards].sort(inOrder).join(" ");

/** Who holds a card, or -1. @param {Setup} setup @param {string} card */
export const ownerOf = ({ hands }, card) => hands.findIndex((hand) => cardsOf(hand).includes(card));

/**
 * A card goes to the seat that is chosen, or back if it is there already; a full hand hands on to the next one.
 * @param {Setup} setup
 * @param {string} card
 * @returns {Setup}
 */
export function clicked(setup, card) {
  const { seat } = setup,
    owner = ownerOf(setup, card);
  if (owner !== seat && cardsOf(setup.hands[seat]).length >= HAND) return setup;
  const hands = setup.hands.map((hand, index) => {
    const others = cardsOf(hand).filter((one) => one !== card);
    if (index === seat && owner !== seat) return written([...others, card]);
    return index === owner ? written(others) : hand;
  });
  const room = [1, 2, 3].map((step) => (seat + step) % 4).find((next) => cardsOf(hands[next]).length < HAND);
  const full = cardsOf(hands[seat]).length >= HAND;
  return { hands, seat: full && room !== undefined ? room : seat };
}

/**
 * What is missing is dealt at random; if nothing is missing, everything is dealt anew.
 * @param {Setup} setup
 * @param {number} seed
 * @returns {Setup}
 */
export function filled(setup, seed) {
  const hands = setup.hands.map(cardsOf);
  const complete = hands.every((hand) => hand.length === HAND);
  const start = complete ? [[], [], [], []] : hands;
  const held = new Set(start.flat());
  const rest = dealt(seed, 0, CARDS, 4, HAND)
    .flatMap((hand) => hand.split(" "))
    .filter((card) => !held.has(card));
  return { ...setup, hands: start.map((hand) => written([...hand, ...rest.splice(0, HAND - hand.length)])) };
}
