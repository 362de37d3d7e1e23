/** The states of a sandbox: checkpoints, restore and reset. */
import { Type } from "typebox";
import { Fields, Sequence } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Sandbox";

const Name = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
  description: "1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
});

const Checkpoint = Fields({ name: Name, sequence: Sequence, stateHash: Type.String() });

const State = Fields({ sequence: Sequence, stateHash: Type.String() });

export const makeCheckpoint = operatorRoute("makeCheckpoint", {
  tag: TAG,
  summary: "Save the current state, history and clock under a name",
  sandboxOnly: true,
  body: Fields({ name: Name }),
  answer: Checkpoint,
});

export const listCheckpoints = operatorRoute("listCheckpoints", {
  tag: TAG,
  summary: "List checkpoints, oldest first",
  sandboxOnly: true,
  answer: Fields({ items: Type.Array(Checkpoint) }),
});

export const removeCheckpoint = operatorRoute("removeCheckpoint", {
  tag: TAG,
  summary: "Remove a checkpoint",
  sandboxOnly: true,
  params: Fields({ name: Type.String() }),
  answer: Checkpoint,
});

export const restoreCheckpoint = operatorRoute("restoreCheckpoint", {
  tag: TAG,
  summary:
    "Go back to a checkpoint: state, history, ids, keys and clock. Connections stay open; " +
    "streams start anew",
  sandboxOnly: true,
  body: Fields({ name: Name }),
  answer: Checkpoint,
});

export const resetExchange = operatorRoute("resetExchange", {
  tag: TAG,
  summary: "Go back to the state right after the start, or to the one set with PUT",
  sandboxOnly: true,
  answer: State,
});

export const markResetState = operatorRoute("markResetState", {
  tag: TAG,
  summary: "Make a reset go back to the current state",
  sandboxOnly: true,
  answer: Fields({ sequence: Sequence }),
});
