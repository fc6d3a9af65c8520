// The service worker: shows a friendly page while the server is down. It caches nothing else, so that nothing is old.

const NAME = "heartlab-3";
const KEPT = ["/page/offline.html", "/page/offline.js", "/page/base.css", "/page/icon.svg"];
/** @type {any} */
const worker = self;

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(KEPT)));
  worker.skipWaiting();
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil(Promise.all([worker.clients.claim(), forget()]));
});

/** What earlier versions have kept goes. */
async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== NAME).map((name) => caches.delete(name)));
}

/** What is asked for; if the server does not answer, what was kept. @param {Request} request */
async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request.mode === "navigate" ? KEPT[0] : request);
    if (kept) return kept;
    throw error;
  }
}

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.mode === "navigate" || KEPT.includes(path)) event.respondWith(answer(request));
});
