// The first deal: a position, what it teaches, and one thing to do.
import { el } from "../render.js";
import { LESSONS } from "../lesson.js";
import { some, t } from "../texts.js";
import { felt, handView, seatPlate, statusLine, trickView } from "./felt.js";
import { button } from "./parts.js";

const NAMES = ["You", "Ada", "Emil", "Ines"];

/** The introduction. @param {import("../state.js").State} state @param {import("../actions.js").Acts} acts */
export function learnView(state, acts) {
  const { step, picked, verdict } = state.lesson;
  const lesson = LESSONS[step];
  const last = step === LESSONS.length - 1;
  const done = !lesson.legal.length || verdict === "good";
  const played = !lesson.pass && verdict === "good" ? picked : [];
  const plates = NAMES.map((name, seat) =>
    seatPlate(
      {
        name,
        kind: "",
        points: lesson.points[seat],
        tricks: 0,
        total: null,
        cards: lesson.hand.length,
        active: !seat && !done,
      },
      seat,
      4,
    ),
  );
  const hand = lesson.hand
    .filter((card) => !played.includes(card))
    .map((card) => ({
      card,
      passing: lesson.pass > 0,
      chosen: lesson.pass > 0 && picked.includes(card),
      received: false,
      advised: verdict === "bad" && lesson.right.includes(card),
      state: /** @type {"legal" | "illegal" | ""} */ (done ? "" : lesson.legal.includes(card) ? "legal" : "illegal"),
    }));
  const said = verdict ? some(verdict === "illegal" ? "learn.illegal" : `learn.${lesson.name}.${verdict}`) : "";
  const trick = /** @type {[number, string][]} */ ([...lesson.trick, ...played.map((card) => [0, card])]);
  return el(
    "div",
    { key: "learn", class: "game learning" },
    el(
      "div",
      { key: "board", class: "board" },
      felt(4, "", () => {}, plates, trickView(trick, null, NAMES)),
      statusLine(t("learn.step", { n: step + 1, of: LESSONS.length }), state.notice),
      el(
        "div",
        { key: "actions", class: "actions" },
        button(t(last ? "learn.play" : "learn.next"), acts.nextLesson, { class: "main", disabled: !done }),
        button(t(last ? "toLobby" : "learn.skip"), acts.endLesson),
      ),
      handView(hand, state.walked, acts.learn, acts.walkTo),
    ),
    el(
      "aside",
      { key: "side", class: "side puzzle", "aria-label": t("learn") },
      el("h2", { text: some(`learn.${lesson.name}`) }),
      el("p", { text: some(`learn.${lesson.name}.text`) }),
      el("p", { class: verdict === "good" ? "good" : "alarm", role: "status", text: said }),
    ),
  );
}
