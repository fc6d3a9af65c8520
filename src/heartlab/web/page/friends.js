// Friends: an invitation, seats that this browser has, reactions, and what the host may do.
import { keep, recall } from "./dom.js";
import { options, setOption } from "./options.js";
import { called, inARow, some, t } from "./texts.js";

/** @typedef {import("../protocol").Room} Room */
/** @typedef {import("../protocol").Reacted} Reacted */
/**
 * @typedef {object} FriendTools what these actions share with those at the table
 * @property {(text: string, kind?: "" | "warn", lasting?: boolean) => void} notice
 * @property {(message: import("../protocol").Incoming) => boolean} send
 * @property {(expected: boolean) => { share?: string }} share
 * @property {(panel: import("./state.js").Panel, answer?: any) => void} show
 * @property {(settings: Omit<import("../protocol").Create, "type" | "house" | "share">) => void} start
 * @property {(text: string, yes: string, act: () => void) => void} question
 */

/** Which invitation gave this browser which seat: who follows a link twice has one seat. */
const SEATS = "heartlab-seats";
/** What friends can show each other; the catalogue has them as `react.NAME`. */
export const REACTIONS = /** @type {const} */ (["hello", "nice", "ouch", "oops", "thanks", "think"]);
/** Milliseconds that a reaction stays. */
const SHOWN = 4000;

/** The link that invites; on a page of another address, the first one that others reach. @param {Room} room */
export function invitationLink(room, origin = location.origin) {
  const address = room.addresses.includes(origin) ? origin : (room.addresses[0] ?? origin);
  return `${address}/#~join/${room.invitation}`;
}

/** Names in a row. @param {string[]} names */
export const listNames = (names) => inARow(names.map(called));

/** @param {import("./actions.js").World} world @param {FriendTools} tools */
export function makeFriendActs(world, { notice, send, share, show, start, question }) {
  const { store } = world,
    { update } = store;
  /** @type {Record<number, number>} */
  const hiding = {};
  /** @returns {[string, string][]} invitations and keys */
  const seats = () => recall(SEATS) ?? [];
  /** Whether there is a name; spaces are none, which is said. @param {string} name */
  const isNamed = (name) => {
    if (!name) notice(t("friends.nameless"), "warn");
    return name !== "";
  };
  /** The invitation with which this page asks for a seat. */
  let asked = "";

  const acts = {
    /** Open a table for friends. @param {Event} event */
    hostFriends(event) {
      event.preventDefault();
      const { hello } = store.now,
        data = new FormData(/** @type {HTMLFormElement} */ (event.target));
      const name = String(data.get("person") ?? "").trim(),
        rules = String(data.get("rules") ?? "standard");
      if (!isNamed(name)) return;
      const level = hello?.levels.find((one) => one.name === options.level) ?? hello?.levels[0];
      const count = (hello?.rules.find((one) => one.name === rules)?.players ?? 4) - 1;
      setOption("name", name);
      const players = Array.from({ length: count }, (_, seat) => level?.players[seat] ?? level?.players[0] ?? "gnome");
      start({ rules, players, name, friends: true, seed: null });
    },
    /** Sit down at a table to which one is invited. @param {Event} event */
    join(event) {
      event.preventDefault();
      const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("person") ?? "").trim();
      if (!isNamed(name)) return;
      setOption("name", name);
      asked = store.now.route.rest;
      if (send({ type: "join", invitation: asked, name })) update({ starting: true });
    },
    /** Who follows a link again has the seat already. @param {string} invitation */
    enterJoin(invitation) {
      if (!invitation) update({ lost: t("friends.noInvitation") });
      const known = seats().find(([one]) => one === invitation);
      if (known) location.replace(`#${store.now.route.house}/${known[1]}`);
    },
    /** A table was opened: by an invitation, or because everybody went on to it. @param {string} key */
    keepSeat(key) {
      const before = store.now.table;
      const others = seats().filter(([one]) => one !== asked);
      if (asked) keep(SEATS, [[asked, key], ...others].slice(0, 20));
      else
        keep(
          SEATS,
          seats().map(([one, old]) => [one, old === before ? key : old]),
        );
      asked = "";
    },
    /** A seat that is lost is not kept. @param {string | null} key */
    dropSeat(key) {
      asked = "";
      keep(
        SEATS,
        seats().filter(([, one]) => one !== key),
      );
    },
    /** The host deals the first cards. */
    begin() {
      send({ type: "next", ...share(true) });
    },
    async copyInvitation() {
      const { room } = store.now;
      if (!room) return;
      try {
        await navigator.clipboard.writeText(invitationLink(room));
        notice(t("friends.copied"));
      } catch {
        question(invitationLink(room), t("done"), () => {});
      }
    },
    newInvitation() {
      question(t("friends.renewAsk"), t("friends.renew"), () => send({ type: "invite" }));
    },
    /** @param {number} seat */
    removeGuest(seat) {
      const name = store.now.room?.seats[seat]?.name ?? "";
      question(t("friends.removeAsk", { name }), t("friends.remove"), () => send({ type: "remove", seat }));
    },
    imBack() {
      send({ type: "back" });
    },
    showFriends() {
      show("friends");
    },
    /** @param {Reacted["what"]} what */
    react(what) {
      send({ type: "react", what });
    },
    /** Somebody shows something for a while. @param {Reacted} message @returns {string} the same in words */
    reacted({ seat, what }) {
      clearTimeout(hiding[seat]);
      update({ reactions: { ...store.now.reactions, [seat]: what } });
      hiding[seat] = setTimeout(() => {
        const { [seat]: _, ...rest } = store.now.reactions;
        update({ reactions: rest });
      }, SHOWN);
      const name = store.now.room?.seats[seat]?.name ?? "";
      return `${called(name)}: ${some(`react.${what}`)}`;
    },
    /** Whether the coach keeps out, which is then said. */
    keptOut() {
      const kept = Boolean(store.now.view?.friends);
      if (kept) notice(t("friends.noCoach"));
      return kept;
    },
    /** A table of friends is told that one leaves. */
    leaveFriends() {
      if (store.now.room) world.say({ type: "leave" });
      update({ room: null, reactions: {} });
    },
  };
  return acts;
}
