// The browser around the page: storage, files, the person's devices.

/** The server writes tens with one letter; people do not. @param {string} text */
export const tens = (text) => text.replace(/\bT(?=[♣♦♠♥])/g, "10");

/** What this browser keeps under a name, or null. @param {string} name */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a value in this browser; one that keeps nothing still plays. @param {string} name @param {unknown} value */
export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    /* not kept */
  }
}

/** Whether a finger is the pointer here, as on phones. */
export const isPhone = () => typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;

/** Offer a text as a file. @param {string} name @param {string} text */
export function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
