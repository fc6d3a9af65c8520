// The line to the server: one WebSocket that comes back by itself.

export class Line {
  /**
   * `hear` gets every message, `state` gets "open" or "lost".
   * @param {(message: import("../protocol").Outgoing) => void} hear
   * @param {(now: "open" | "lost") => void} state
   */
  constructor(hear, state) {
    this.hear = hear;
    this.state = state;
    this.waiting = 200;
    /** @type {import("../protocol").Incoming | null} */
    this.greeting = null;
    this.socket = this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "hello") {
        this.waiting = 200;
        this.state("open");
        if (this.greeting) this.say(this.greeting);
      }
      this.hear(message);
    };
    socket.onclose = () => {
      this.state("lost");
      setTimeout(() => {
        this.socket = this.connect();
      }, this.waiting);
      this.waiting = Math.min(this.waiting * 2, 5000);
    };
    return socket;
  }

  /** The page is left. A browser may keep it, asleep, for its way back: nobody should wait for it meanwhile. */
  leave() {
    this.socket.close();
  }

  /**
   * What to say first whenever the line comes back, so that the page is at its table again.
   * @param {import("../protocol").Incoming | null} message
   */
  greet(message) {
    this.greeting = message;
  }

  /** Send a message; false if there is no line now. @param {import("../protocol").Incoming} message */
  say(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
