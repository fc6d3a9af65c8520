// The line to the server: one WebSocket that comes back by itself.

export class Line {
  /** `hear` gets every message, `state` gets "open" or "lost". */
  constructor(hear, state) {
    this.hear = hear;
    this.state = state;
    this.waiting = 200;
    this.greeting = null;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "hello") {
        this.waiting = 200;
        this.state("open");
        if (this.greeting) this.say(this.greeting);
      }
      this.hear(message);
    };
    this.socket.onclose = () => {
      this.state("lost");
      setTimeout(() => this.connect(), this.waiting);
      this.waiting = Math.min(this.waiting * 2, 5000);
    };
  }

  /** What to say first whenever the line comes back, so that the page is at its table again. */
  greet(message) {
    this.greeting = message;
  }

  /** Send a message; false if there is no line now. */
  say(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
