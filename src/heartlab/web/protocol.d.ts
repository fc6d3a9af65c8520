// Made from the types of the server by tests/support/page_types.py; a test says when it is out of date.

export type Incoming =
  | Create
  | Describe
  | Open
  | Pass
  | Play
  | Undo
  | Claim
  | Moon
  | Next
  | Again
  | Hint
  | Check
  | Count
  | Risk
  | Review
  | Line
  | Replay
  | Read
  | History
  | Game
  | Daily
  | Compare
  | Analyse
  | Puzzle
  | Answer
  | Level
  | Join
  | Invite
  | Remove
  | Back
  | Leave
  | Rematch
  | React
  | Speak;

export interface Create {
  type: "create";
  house: string;
  players: string[];
  rules?: string;
  seed?: number | null;
  name?: string;
  practice?: boolean;
  watch?: boolean;
  friends?: boolean;
  share?: string | null;
}

export interface Describe {
  type: "describe";
  house: string;
  rules: string;
  language?: "de" | "en";
}

export interface Open {
  type: "open";
  key: string;
}

export interface Pass {
  type: "pass";
  cards: string[];
}

export interface Play {
  type: "play";
  card: string;
  at: number;
}

export interface Undo {
  type: "undo";
}

export interface Claim {
  type: "claim";
  what?: "all" | "none" | "rest";
}

export interface Moon {
  type: "moon";
  what: "others" | "self";
}

export interface Next {
  type: "next";
  share?: string | null;
}

export interface Again {
  type: "again";
  number: number;
  at?: number;
}

export interface Hint {
  type: "hint";
}

export interface Check {
  type: "check";
}

export interface Count {
  type: "count";
}

export interface Risk {
  type: "risk";
}

export interface Review {
  type: "review";
  number: number;
}

export interface Line {
  type: "line";
  number: number;
  at: number;
}

export interface Replay {
  type: "replay";
  number: number;
}

export interface Read {
  type: "read";
  house: string;
  text: string;
  into?: string | null;
}

export interface History {
  type: "history";
  house: string;
  name?: string;
}

export interface Game {
  type: "game";
  house: string;
  key?: string | null;
  number?: number | null;
  name?: string;
}

export interface Daily {
  type: "daily";
  house: string;
  name?: string;
}

export interface Compare {
  type: "compare";
}

export interface Analyse {
  type: "analyse";
  house: string;
  record: string;
  at: number;
}

export interface Puzzle {
  type: "puzzle";
  house: string;
  name?: string;
}

export interface Answer {
  type: "answer";
  house: string;
  puzzle: number;
  card: string;
  name?: string;
}

export interface Level {
  type: "level";
  house: string;
  name?: string;
}

export interface Join {
  type: "join";
  invitation: string;
  name: string;
}

export interface Invite {
  type: "invite";
}

export interface Remove {
  type: "remove";
  seat: number;
}

export interface Back {
  type: "back";
}

export interface Leave {
  type: "leave";
}

export interface Rematch {
  type: "rematch";
  share?: string | null;
}

export interface React {
  type: "react";
  what: "hello" | "nice" | "oops" | "ouch" | "thanks" | "think";
}

export interface Speak {
  type: "speak";
  language: "de" | "en";
}

export type Outgoing =
  | Hello
  | Ready
  | Described
  | Promised
  | Opened
  | View
  | Refused
  | Failed
  | Coaching
  | PassCoaching
  | Checked
  | Counted
  | Reviewed
  | Deals
  | Games
  | Imported
  | Compared
  | PuzzleView
  | Graded
  | LevelEstimate
  | Progress
  | MoonRisk
  | Room
  | Reacted;

export interface Hello {
  type: "hello";
  version: number;
  opponents: Opponent[];
  levels: Strength[];
  rules: Preset[];
  words: string;
  promise: string;
  limits: Limits;
}

export interface Ready {
  type: "ready";
  done: number;
  of: number;
  what: string;
  words: string;
}

export interface Described {
  type: "described";
  rules: string;
  text: string;
  players: number;
  how: string[];
}

export interface Promised {
  type: "promised";
  promise: string;
}

export interface Opened {
  type: "opened";
  key: string;
}

export interface View {
  type: "view";
  event: Event;
  rules: string;
  names: string[];
  players: string[];
  practice: boolean;
  branch: number | null;
  helped: boolean;
  daily: string;
  deal: number;
  phase: "end" | "moon" | "over" | "pass" | "play";
  direction: string;
  pass_count: number;
  may_pass: string[];
  hand: string[];
  legal: string[];
  passed: string[];
  received: string[];
  to_move: number | null;
  leader: number | null;
  plays: number;
  trick: [number, string][];
  last: [number, string][];
  last_winner: number | null;
  hand_sizes: number[];
  tricks_won: number[];
  points: number[];
  taken: string[][];
  breaking: boolean;
  broken: boolean;
  scores: number[];
  course: number[][];
  limit: number | null;
  claims: string[];
  can_undo: boolean;
  can_leave: boolean;
  undos: number;
  commitment: string;
  promise: string;
  share: string;
  winners: number[];
  faults: string[];
  seat: number;
  friends: boolean;
  people: ("away" | "bot" | "gone" | "next" | "person")[];
  waiting: number[];
  chooser: number | null;
  reveal?: Reveal;
}

export interface Refused {
  type: "refused";
  card: string | null;
  rule: string;
}

export interface Failed {
  type: "failed";
  code: "key" | "limit" | "message" | "server" | "table";
  text: string;
}

export interface Coaching {
  type: "coaching";
  at: number;
  seed: number;
  worlds: number;
  first: string;
  words: string[];
  ideas: string[];
  cards: Judged[];
  more: string[];
  note: string;
  line: Record<string, any> | null;
  to: string;
}

export interface PassCoaching {
  type: "passing";
  worlds: number;
  first: string;
  words: string[];
  ideas: string[];
  sets: Passing[];
  note: string;
}

export interface Checked {
  type: "checked";
  at: number;
  card: string;
  better: boolean;
  cost: number;
  words: string[];
}

export interface Counted {
  type: "counted";
  at: number;
  out: string[];
  voids: string[][];
  queen: number[] | null;
  queen_text: string;
  moon: number;
  moon_seat: number | null;
  moon_text: string;
}

export interface Reviewed {
  type: "reviewed";
  number: number;
  seed: number;
  course: [number, number][];
  decisions: Decision[];
  worst: Decision[];
  total: number;
  text: string;
  note: string;
  passing: PassReview | null;
}

export interface Deals {
  type: "deals";
  title: string;
  records: Record<string, any>[];
  proof: Record<string, any> | null;
  more: boolean;
  faults: string[];
}

export interface Games {
  type: "games";
  games: PlayedGame[];
}

export interface Imported {
  type: "imported";
  deals: number;
}

export interface Compared {
  type: "compared";
  day: string;
  levels: MadeOfIt[];
}

export interface PuzzleView {
  type: "puzzle";
  puzzle: number | null;
  text: string;
  names: string[];
  hand: string[];
  legal: string[];
  trick: [number, string][];
  played: string[][];
  points: number[];
  broken: boolean;
  waiting: number;
  rules: string;
  breaking: boolean;
  last: [number, string][];
  hand_sizes: number[];
  tricks_won: number[];
  voids: string[][];
  passed: string[];
  received: string[];
  direction: string;
  stage: number;
  days: number[];
}

export interface Graded {
  type: "graded";
  puzzle: number;
  right: boolean;
  best: string;
  text: string;
  cards: [string, number][];
  chosen: string;
  played: string;
  again: string;
}

export interface LevelEstimate {
  type: "level";
  name: string;
  deals: number;
  decisions: number;
  per_deal: number | null;
  low: number | null;
  high: number | null;
  text: string;
  course: [number, number, number, number][];
  courses: Record<string, [number, number, number, number][]>;
}

export interface Progress {
  type: "progress";
  text: string;
}

export interface MoonRisk {
  type: "risk";
  at: number;
  seat: number | null;
  share: number;
  text: string;
}

export interface Room {
  type: "room";
  seats: RoomSeat[];
  seat: number;
  host: boolean;
  begun: boolean;
  playing: boolean;
  rules: string;
  invitation: string;
  addresses: string[];
}

export interface Reacted {
  type: "reacted";
  seat: number;
  what: "hello" | "nice" | "oops" | "ouch" | "thanks" | "think";
}

export interface Opponent {
  name: string;
  level: string;
  note: string;
}

export interface Strength {
  name: "beginner" | "casual" | "expert" | "skilled";
  players: string[];
}

export interface Preset {
  name: string;
  note: string;
  players: number;
}

export interface Limits {
  name: number;
  rules: number;
  seed: number;
  record: number;
  records: number;
}

export interface Event {
  kind: "dealt" | "moon" | "opened" | "over" | "passed" | "played" | "seats" | "undone";
  seat: number | null;
  card: string | null;
  winner: number | null;
}

export interface Reveal {
  seed: number;
  salt: string;
  secret: string;
  hands: string[];
  kitty: string;
  passed: string[] | null;
  points: number[];
  shooter: number | null;
}

export interface Judged {
  card: string;
  expected: number;
  se: number | null;
  low: number;
  high: number;
  best_in: number;
  queen: number;
  hearts: number;
  bonus: number;
  moon: number;
  own_moon: number;
  moons: number;
  cost: number;
  equal: boolean;
}

export interface Passing {
  cards: string[];
  expected: number;
  se: number;
  queen: number;
  hearts: number;
  moon: number;
  own_moon: number;
  cost: number;
  cost_se: number;
  equal: boolean;
}

export interface Decision {
  at: number;
  trick: number;
  card: string;
  best: string;
  cost: number;
  se: number | null;
  expected: number;
  words: string[];
}

export interface PassReview {
  cards: string[];
  best: string[];
  cost: number;
  se: number;
  text: string;
  words: string[];
}

export interface PlayedGame {
  key: string;
  made: number;
  rules: string;
  names: string[];
  players: string[];
  practice: boolean;
  over: boolean;
  scores: number[];
  deals: DealFacts[];
}

export interface MadeOfIt {
  name: string;
  points: number;
}

export interface RoomSeat {
  name: string;
  player: string;
  occupant: "away" | "bot" | "gone" | "next" | "person";
  host: boolean;
}

export interface DealFacts {
  number: number;
  points: number[];
  queen: number | null;
  shooter: number | null;
  hand: string;
  helped: boolean;
}
