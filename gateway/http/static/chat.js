// The socket of the chat: sends what is written, shows replies as they grow, and sends again what was not taken.
"use strict";

const talk = document.getElementById("talk");
const form = document.getElementById("say");
const words = document.getElementById("words");
const state = document.getElementById("state");
const waiting = new Map(); // what was sent and is not known to be taken, by its id
let socket = null;
let pause = 500;

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.addEventListener("open", () => {
    pause = 500;
    state.textContent = "";
    for (const message of waiting.values()) socket.send(JSON.stringify(message));
  });
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => {
    if (event.code === 4401) { location.reload(); return; }
    state.textContent = "Not connected. What you write is kept here and sent as soon as the assistant answers again.";
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 15000);
  });
}

function receive(message) {
  const turn = document.getElementById(`turn-${message.id}`);
  if (message.type === "draft") {
    if (turn) place(turn, message.text, "reply draft");
  } else if (message.type === "turn") {
    waiting.delete(message.id);
    const holder = document.createElement("template");
    holder.innerHTML = message.html;
    const fresh = holder.content.firstElementChild;
    if (turn) turn.replaceWith(fresh); else talk.append(fresh);
    htmx.process(fresh);
    fresh.scrollIntoView({ block: "end" });
  } else if (message.type === "error") {
    waiting.delete(message.id);
    if (turn) place(turn, message.text, "reply"); else state.textContent = message.text;
  }
}

function place(turn, text, kind) {
  let reply = turn.querySelector(".reply");
  if (!reply) { reply = document.createElement("p"); turn.append(reply); }
  reply.className = kind;
  reply.textContent = text;
}

function say(text) {
  if (!text.trim()) return;
  document.getElementById("empty")?.remove();
  const id = crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`;
  const message = { id, text, zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" };
  const turn = document.createElement("article");
  turn.className = "turn";
  turn.id = `turn-${id}`;
  const said = document.createElement("p");
  said.className = "said";
  said.textContent = text;
  turn.append(said);
  talk.append(turn);
  place(turn, "\u2026", "reply draft");
  turn.scrollIntoView({ block: "end" });
  waiting.set(id, message);
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  say(words.value);
  words.value = "";
});
words.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
});
talk.addEventListener("click", (event) => {
  const answer = event.target.closest("[data-say]");
  if (answer) { answer.closest(".asks").remove(); say(answer.dataset.say); }
});
talk.lastElementChild?.scrollIntoView({ block: "end" });
connect();
form.dataset.ready = "";
