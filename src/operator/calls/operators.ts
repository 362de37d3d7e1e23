/** Operators: their roles and tokens. A token is shown once; the exchange keeps its digest. */

import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/operators.ts";
import { type OperatorRole, reject } from "../../domain/index.ts";
import type { OperatorView } from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { tokenHash } from "../authorization.ts";
import { type CallRequest, handle, type OperatorContext, type Outcome } from "../call.ts";
import { ROOT } from "../caller.ts";
import { forReason } from "../reasons.ts";
import { executeOrPropose } from "../second-operator.ts";

const TOKEN_BYTES = 32;

function toOperator({ name, role, expiresAtMs, addedMs, removedMs }: OperatorView) {
  return { name, role, expiresAt: expiresAtMs, addedAt: addedMs, removedAt: removedMs };
}

type Present = OperatorView & { readonly removedMs: null };

async function find(context: OperatorContext, name: string): Promise<Outcome<OperatorView>> {
  const reply = await context.engine.query({ type: "operators", name });
  if (!reply.ok) return reply;
  const [operator] = reply.value;
  return operator === undefined ? refuse("unknown-id", "name") : done(operator);
}

/** One that was not removed. */
async function findPresent(context: OperatorContext, name: string): Promise<Outcome<Present>> {
  const found = await find(context, name);
  if (!found.ok || found.value.removedMs === null) return found as Outcome<Present>;
  return reject("conflict", "name", `${name} was removed`);
}

interface Changed {
  readonly name: string;
  readonly role: OperatorRole;
  readonly expiresAtMs: number | null;
}

type Asked = Pick<CallRequest<unknown, unknown, unknown>, "caller" | "actor">;

async function giveToken(
  context: OperatorContext,
  request: Asked,
  { name, role, expiresAtMs }: Changed,
): Promise<Outcome<{ readonly name: string; readonly token: string }>> {
  const { actor } = request;
  const token = `${name}.${role}.${context.randomness.bytes(TOKEN_BYTES).toString("hex")}`;
  const settings = { actor, name, role, tokenHash: tokenHash(token), expiresAtMs };
  const command = { type: "set-operator", ...settings } as const;
  const reply = await executeOrPropose<"set-operator">(context, request, command);
  if (reply.ok) return done({ name, token });
  return "waiting" in reply ? { ...reply, waiting: { ...reply.waiting, token } } : reply;
}

const addOperator = handle(routes.addOperator, (request, context) =>
  context.mutex.run(async () => {
    const { name, role, expiresAt = null } = request.body;
    const found = await find(context, name);
    if (found.ok || name === ROOT.name) return reject("conflict", "name", `${name} exists`);
    if (!("reason" in found) || found.reason !== "unknown-id") return found;
    return await giveToken(context, request, { name, role, expiresAtMs: expiresAt });
  }),
);

const listOperators = handle(routes.listOperators, async ({ query }, { engine }) => {
  const reply = await engine.query({ type: "operators", name: null });
  const rows = reply.ok ? done(reply.value) : reply;
  return pageByName(rows, query, ({ name }) => name, toOperator);
});

const getOperator = handle(routes.getOperator, async ({ params }, context) => {
  const found = await find(context, params.name);
  return found.ok ? done(toOperator(found.value)) : found;
});

const updateOperator = handle(routes.updateOperator, (request, context) =>
  context.mutex.run(async () => {
    const { params, body, actor } = request;
    if (Object.keys(body).length === 0) {
      return reject("malformed", null, "give at least one of role, expiresAt");
    }
    const present = await findPresent(context, params.name);
    if (!present.ok) return present;
    const { role = present.value.role, expiresAt = present.value.expiresAtMs } = body;
    const settings = { name: params.name, role, tokenHash: null, expiresAtMs: expiresAt };
    const command = { type: "set-operator", actor, ...settings } as const;
    const reply = await executeOrPropose<"set-operator">(context, request, command);
    return reply.ok ? done(toOperator({ ...present.value, role, expiresAtMs: expiresAt })) : reply;
  }),
);

const rotateToken = handle(routes.rotateToken, (request, context) =>
  context.mutex.run(async () => {
    const present = await findPresent(context, request.params.name);
    return present.ok ? await giveToken(context, request, present.value) : present;
  }),
);

const removeOperator = handle(routes.removeOperator, ({ params, query, actor }, context) =>
  context.mutex.run(async () => {
    const found = await find(context, params.name);
    if (!found.ok) return found;
    const { name } = params;
    const reply = await context.engine.execute(
      forReason({ type: "remove-operator", actor, name }, query.reason),
    );
    if (!reply.ok) return reply;
    const removed = await find(context, name);
    return removed.ok ? done(toOperator(removed.value)) : removed;
  }),
);

const getCaller = handle(routes.getCaller, async ({ caller }) => done(caller));

export const OPERATOR_CALLS = [
  addOperator,
  listOperators,
  getOperator,
  updateOperator,
  rotateToken,
  removeOperator,
  getCaller,
];
