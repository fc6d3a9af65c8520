// Tables of friends: the form of the host, the door for guests, the room before the first deal, and a panel beside it.
import { el } from "../render.js";
import { invitationLink, REACTIONS } from "../friends.js";
import { options } from "../options.js";
import { called, presetText, some, t } from "../texts.js";
import { levels } from "./lobby.js";
import { button, dot, field, sheet } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */
/** @typedef {import("../../protocol").Room} Room */

/** @param {State} state */
const nameField = ({ hello }) =>
  field(
    t("friends.name"),
    el("input", {
      name: "person",
      value: options.name === "You" ? "" : options.name,
      maxlength: hello?.limits.name ?? 24,
      required: true,
      autocomplete: "off",
    }),
  );

/** The host opens a table. @param {State} state @param {Acts} acts */
export function hostView(state, acts) {
  const hello = /** @type {import("../../protocol").Hello} */ (state.hello);
  return sheet(
    t("friends"),
    acts.lobby,
    el("p", { text: t("friends.text") }),
    el(
      "form",
      { class: "friends-form", onsubmit: acts.hostFriends },
      nameField(state),
      levels(hello, acts),
      field(
        t("custom.rules"),
        el(
          "select",
          { name: "rules" },
          hello.rules.map((one) => el("option", { key: one.name, value: one.name, text: presetText(one) })),
        ),
      ),
      el("button", { class: "main big", type: "submit", text: t("friends.open"), disabled: state.starting }),
    ),
  );
}

/** Somebody follows a link. @param {State} state @param {Acts} acts */
export const joinView = (state, acts) =>
  el(
    "article",
    { class: "sheet" },
    el("h1", { text: t("join") }),
    el("p", { text: t("join.text") }),
    el(
      "form",
      { class: "friends-form", onsubmit: acts.join },
      nameField(state),
      el("button", { class: "main big", type: "submit", text: t("join.sit"), disabled: state.starting }),
    ),
  );

/** A page without the key of the house. @param {State} _ @param {Acts} acts */
export function guestView(_, acts) {
  const tables = acts.tables();
  return el(
    "article",
    { class: "sheet" },
    el("h1", { text: "Hearts" }),
    el("p", { text: t("guest.text") }),
    el(
      "ul",
      { class: "plain" },
      tables.map((one) =>
        el(
          "li",
          { key: one.key },
          button(one.title, () => acts.openTable(one.key)),
        ),
      ),
    ),
  );
}

/** Who sits where, and for the host a way to take seats back. @param {Room} room @param {Acts} acts */
const seatList = (room, acts) =>
  el(
    "ul",
    { class: "plain seats-list" },
    room.seats.map((seat, index) =>
      el(
        "li",
        { key: index },
        dot(index),
        el("strong", { text: called(seat.name) }),
        seat.host && el("small", { text: t("friends.host") }),
        el("span", { class: "dim", text: some(`occupant.${seat.occupant}`, { player: seat.player }) }),
        room.host &&
          index > 0 &&
          seat.occupant !== "bot" &&
          button("×", () => acts.removeGuest(index), {
            class: "quiet",
            "aria-label": t("friends.removeAsk", { name: seat.name }),
          }),
      ),
    ),
  );

/** The link of the host. @param {Room} room @param {Acts} acts */
const invitation = (room, acts) =>
  room.host &&
  el(
    "section",
    { class: "invitation" },
    field(t("friends.link"), el("input", { class: "link", readonly: true, value: invitationLink(room) })),
    el(
      "div",
      { class: "actions left" },
      button(t("friends.copy"), acts.copyInvitation, { class: "main" }),
      button(t("friends.renew"), acts.newInvitation),
    ),
    el("p", { class: "dim", text: t(room.addresses.length ? "friends.lan" : "friends.loopback") }),
  );

/** Before the first deal, or before one's first deal. @param {State} state @param {Acts} acts */
export function roomView(state, acts) {
  const room = /** @type {Room} */ (state.room),
    host = room.seats.find((seat) => seat.host);
  return el(
    "article",
    { class: "sheet room" },
    el("h1", { text: t("friends") }),
    seatList(room, acts),
    room.host
      ? button(t("friends.begin"), acts.begin, { class: "main big begin" })
      : el("p", {
          class: "busy",
          role: "status",
          text: t(room.begun ? "friends.next" : "friends.wait", { name: host?.name }),
        }),
    invitation(room, acts),
    reactionButtons(acts),
    el(
      "ul",
      { class: "plain", "aria-live": "polite" },
      Object.entries(state.reactions).map(([seat, what]) =>
        el("li", { key: seat, text: `${called(room.seats[Number(seat)].name)}: ${some(`react.${what}`)}` }),
      ),
    ),
  );
}

/** The panel beside the table. @param {State} state @param {Acts} acts */
export const friendsPanel = ({ room }, acts) =>
  el(
    "section",
    { class: "panel-body" },
    el("h2", { text: t("friends") }),
    room && seatList(room, acts),
    room && invitation(room, acts),
    el("p", { class: "dim", text: t("friends.rules") }),
  );

/** @param {Acts} acts */
const reactionButtons = (acts) =>
  el(
    "div",
    { class: "actions reacts", role: "group", "aria-label": t("react") },
    REACTIONS.map((what) => button(some(`react.${what}`), () => acts.react(what), { key: what })),
  );

/** What one can show the others, on the felt; it closes when something was chosen. @param {Acts} acts */
export const reactions = (acts) =>
  el(
    "details",
    {
      key: "react",
      class: "react",
      onclick: (/** @type {Event} */ event) => {
        event.stopPropagation();
        const node = /** @type {HTMLDetailsElement} */ (event.currentTarget);
        if (event.target instanceof HTMLButtonElement) node.open = false;
      },
    },
    el("summary", { text: t("react") }),
    reactionButtons(acts),
  );
