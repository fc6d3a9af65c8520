// Sounds, made here with Web Audio: a card on the felt, a trick swept, Q♠, a moon, the end of a game.
import { sounds } from "./options.js";
import { showsMoon } from "./state.js";

/** @typedef {import("../protocol").View} View */
/** @typedef {{ at: number, pitch: number, length: number, loud: number, kind?: OscillatorType }} Tone */

/** Tones of each sound: seconds after its start, Hertz, seconds, loudness. @type {Record<string, Tone[]>} */
export const TONES = {
  hello: [{ at: 0, pitch: 660, length: 0.09, loud: 0.05 }],
  sweep: [{ at: 0, pitch: 220, length: 0.08, loud: 0.04, kind: "triangle" }],
  queen: [
    { at: 0, pitch: 196, length: 0.35, loud: 0.12, kind: "triangle" },
    { at: 0.16, pitch: 139, length: 0.6, loud: 0.13, kind: "triangle" },
  ],
  moon: [523, 659, 784, 1047, 1319].map((pitch, index) => ({ at: index * 0.12, pitch, length: 0.5, loud: 0.08 })),
  won: [392, 523, 659, 784].map((pitch, index) => ({ at: index * 0.11, pitch, length: 0.4, loud: 0.09 })),
  lost: [392, 330, 262].map((pitch, index) => ({ at: index * 0.16, pitch, length: 0.4, loud: 0.06 })),
};

/** What a view sounds like: whether a card falls, and a tune. @param {View} view */
export function soundOf(view) {
  const { event } = view,
    card = event.kind === "played" || event.kind === "over";
  const queen = event.winner !== null && view.last.some(([, one]) => one === "QS") && view.points.some((n) => n > 12);
  const moon = showsMoon(view);
  const end = view.phase === "end" && (card || event.kind === "moon") && view.limit !== null;
  const tune = moon
    ? "moon"
    : end
      ? view.winners.includes(0)
        ? "won"
        : "lost"
      : queen
        ? "queen"
        : card && event.winner !== null
          ? "sweep"
          : "";
  return { card, tune };
}

export function makeSound() {
  /** @type {AudioContext | null} */
  let context = null;

  /** Begin, or go on after a pause of the system: browsers allow that in a click or key only. */
  const wake = () => {
    if (!sounds() || typeof AudioContext === "undefined") return;
    context ??= new AudioContext();
    if (context.state !== "running") context.resume().catch(() => {});
  };

  /** @param {AudioContext} audio @param {Tone} tone */
  const play = (audio, { at, pitch, length, loud, kind = "sine" }) => {
    const start = audio.currentTime + at,
      tone = audio.createOscillator(),
      volume = audio.createGain();
    tone.type = kind;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(loud, start + 0.012);
    volume.gain.exponentialRampToValueAtTime(0.0005, start + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + length + 0.02);
  };

  /** A card on the felt: a short burst of filtered noise. @param {AudioContext} audio */
  const slap = (audio) => {
    const length = Math.round(audio.sampleRate * 0.05),
      buffer = audio.createBuffer(1, length, audio.sampleRate);
    const data = buffer.getChannelData(0);
    for (let i = 0; i < length; i += 1) data[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
    const source = audio.createBufferSource(),
      filter = audio.createBiquadFilter(),
      volume = audio.createGain();
    source.buffer = buffer;
    filter.type = "bandpass";
    filter.frequency.value = 1500 + 500 * Math.random();
    volume.gain.value = 0.22;
    source.connect(filter).connect(volume).connect(audio.destination);
    source.start();
  };

  return {
    wake,
    /** What is heard when sounds are turned on: that they are. */
    hello() {
      wake();
      if (sounds() && context) for (const tone of TONES.hello) play(context, tone);
    },
    /** What nobody may hear yet is left out: later all of it would come at once. @param {View} view */
    view(view) {
      const { card, tune } = soundOf(view);
      if (!sounds() || context?.state !== "running") return;
      if (card) slap(context);
      for (const tone of TONES[tune] ?? []) play(context, tone);
    },
  };
}
