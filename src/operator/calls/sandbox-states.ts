/** The states of a sandbox: checkpoints, restore and reset. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/sandbox-states.ts";
import { done } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import type { States } from "../ports.ts";

/** A call of a sandbox only; the server has refused it elsewhere. */
async function withStates<Value>(
  { states }: OperatorContext,
  work: (states: States) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  return states === null ? refuse("sandbox-only") : await work(states);
}

const makeCheckpoint = handle(routes.makeCheckpoint, ({ body }, context) =>
  withStates(context, (states) => states.checkpoint(body.name)),
);

const listCheckpoints = handle(routes.listCheckpoints, (_, context) =>
  withStates(context, async (states) => done({ items: [...states.list()] })),
);

const removeCheckpoint = handle(routes.removeCheckpoint, ({ params }, context) =>
  withStates(context, (states) => states.remove(params.name)),
);

const restoreCheckpoint = handle(routes.restoreCheckpoint, ({ body }, context) =>
  withStates(context, (states) => {
    context.replays.moveTime = false;
    return states.restore(body.name);
  }),
);

const resetExchange = handle(routes.resetExchange, (_, context) =>
  withStates(context, async (states) => {
    context.replays.moveTime = false;
    const outcome = await states.reset();
    if (!outcome.ok) return outcome;
    const { sequence, stateHash } = outcome.value;
    return done({ sequence, stateHash });
  }),
);

const markResetState = handle(routes.markResetState, (_, context) =>
  withStates(context, (states) => states.markStart()),
);

export const STATE_CALLS = [
  makeCheckpoint,
  listCheckpoints,
  removeCheckpoint,
  restoreCheckpoint,
  resetExchange,
  markResetState,
];
