// The page while the server is down: it asks whether the server is back, and then opens the address that was wanted.
// (A refresh by the page's head would not do: an address with a `#`, as all of ours, is not loaded again by it.)

/** How often it asks, in milliseconds. */
const EVERY = 2500;

async function ask() {
  try {
    // The service worker keeps no copy of itself, so an answer comes from the server.
    await fetch("/worker.js", { method: "HEAD", cache: "no-store" });
    location.reload();
  } catch {
    setTimeout(ask, EVERY);
  }
}

setTimeout(ask, EVERY);
