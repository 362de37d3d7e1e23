/**
 * The sandbox's traffic: fault rules, the log of requests, and waiting until all is quiet. A rule
 * that could never match is refused, so that no test waits for a fault in vain.
 */
import { isIP } from "node:net";
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/faults.ts";
import type { OperatorBody } from "../../api/operator/routes.ts";
import { type Rejection, reject } from "../../domain/index.ts";
import { channelsOf, isAboutStreams, type RuleView, targetsOf } from "../../faults/index.ts";
import { done, pageLimit, queryHistory } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import type { Refused } from "../refusal.ts";

type Rule = OperatorBody<"setFault">;
type Match = routes.FaultMatch;

const SEED_BYTES = 4;

function malformed(field: string, expected: string): Rejection {
  return reject("malformed", field, expected);
}

function checkFault({ fault, match = {}, when = {} }: Rule): Rejection | null {
  if (Object.keys(when).length > 1) {
    return malformed("when", "only one of probability, every, next and after");
  }
  const isOfStreams = isAboutStreams({ fault, match: {} });
  if (match.channel !== undefined && !isOfStreams && fault.kind !== "delay") {
    return malformed("match.channel", `omitted: ${fault.kind} applies to requests`);
  }
  if (match.route !== undefined && (isOfStreams || match.channel !== undefined)) {
    return malformed("match.route", `omitted: this ${fault.kind} applies to stream messages`);
  }
  if (fault.kind !== "delay") return null;
  if (typeof fault.ms === "number") {
    const isAlone = fault.distribution === undefined;
    return isAlone ? null : malformed("fault.distribution", "omitted if ms is a single number");
  }
  const [low = 0, high = 0] = fault.ms;
  return low <= high ? null : malformed("fault.ms", "a range with the smaller number first");
}

async function checkMatch(match: Match, context: OperatorContext): Promise<Refused | null> {
  const { uid, apiKey, address, route, channel } = match;
  if (address !== undefined && (isIP(address) === 0 || address.includes("%"))) {
    return malformed("match.address", 'an IP address, such as "127.0.0.1"');
  }
  if (route !== undefined && targetsOf(route) === null) {
    return malformed(
      "match.route",
      'a call of the API, such as "POST /api/v3/order" or "GET *", or a method of the trading ' +
        'WebSocket, such as "order.place"',
    );
  }
  if (uid !== undefined) {
    const user = await context.engine.query({ type: "user", uid });
    if (!user.ok) return "unavailable" in user ? user : refuse(user.reason, "match.uid");
  }
  if (apiKey !== undefined) {
    const key = await context.engine.query({ type: "api-key", apiKey });
    if (!key.ok) return "unavailable" in key ? key : refuse(key.reason, "match.apiKey");
  }
  return channel === undefined ? null : checkChannel(channel, context);
}

async function checkChannel(name: string, { engine }: OperatorContext): Promise<Refused | null> {
  const channels = channelsOf(name);
  if (channels.length === 0) {
    return malformed("match.channel", 'a channel, such as "BTCUSDT@depth15" or "fill"');
  }
  for (const { product, symbol } of channels) {
    if (symbol === null) return null;
    const market = await engine.query({ type: `${product}-markets`, symbol });
    if (market.ok) return null;
    if ("unavailable" in market) return market;
  }
  return refuse("unknown-symbol", "match.channel");
}

/** As it is spelt in the addresses of callers. */
function plainMatch(match: Match): Match {
  const { address } = match;
  if (address === undefined || isIP(address) === 4) return match;
  const { hostname } = new URL(`http://[${address}]`);
  return { ...match, address: hostname.slice(1, -1) };
}

function toRule(rule: RuleView) {
  const { match, when, fault } = rule;
  return { ...rule, match: { ...match }, when: { ...when }, fault: { ...fault } };
}

const setFault = handle(routes.setFault, ({ params, body }, context) =>
  context.mutex.run(async (): Promise<Outcome<ReturnType<typeof toRule>>> => {
    const { match = {}, when = {}, expiresMs = null, fault } = body;
    const refused = checkFault(body) ?? (await checkMatch(match, context));
    if (refused !== null) return refused;
    const seed = body.seed ?? context.randomness.bytes(SEED_BYTES).readUInt32LE();
    const settings = { id: params.id, match: plainMatch(match), when, seed, expiresMs, fault };
    const set = await context.traffic.set(settings);
    const full = `there are ${routes.FAULT_RULES_MAX} rules already: remove one first`;
    return set === null ? refuse("conflict", "id", full) : done(toRule(set));
  }),
);

const listFaults = handle(routes.listFaults, async (_, { traffic }) =>
  done({ items: traffic.list().map(toRule) }),
);

const getFault = handle(routes.getFault, async ({ params }, { traffic }) => {
  const found = traffic.list().find(({ id }) => id === params.id);
  return found === undefined ? refuse("unknown-id", "id") : done(toRule(found));
});

const removeFault = handle(routes.removeFault, ({ params }, { mutex, traffic }) =>
  mutex.run(async (): Promise<Outcome<ReturnType<typeof toRule>>> => {
    const removed = await traffic.remove(params.id);
    return removed === null ? refuse("unknown-id", "id") : done(toRule(removed));
  }),
);

const clearFaults = handle(routes.clearFaults, (_, { mutex, traffic }) =>
  mutex.run(
    async (): Promise<Outcome<{ removed: number }>> => done({ removed: await traffic.clear() }),
  ),
);

const listRequests = handle(routes.listRequests, async ({ query }, { traffic }) => {
  const { uid = null, after = 0 } = query;
  const limit = pageLimit(query);
  const { items, upTo } = await traffic.requests({ uid, after, limit });
  const isLast = items.length < limit;
  // Behind the last page later requests begin, of whatever user.
  const next = isLast ? Math.max(after, upTo) : (items.at(-1)?.id ?? after);
  return done({ items, next, isLast });
});

const waitUntilQuiet = handle(routes.waitUntilQuiet, async (_, context) => {
  const now = await context.engine.query({ type: "status" });
  if (!now.ok) return now;
  const { sequence } = now;
  const question = { afterAuditId: 0, beforeAuditId: null, limit: 1 };
  const projected = await queryHistory(context, "audit", question, sequence);
  if (!projected.ok) return projected;
  const isQuiet = await context.traffic.quiet();
  return isQuiet ? done({ sequence }) : refuse("overloaded", null, "streams are still sending");
});

export const FAULT_CALLS = [
  setFault,
  listFaults,
  getFault,
  removeFault,
  clearFaults,
  listRequests,
  waitUntilQuiet,
];
