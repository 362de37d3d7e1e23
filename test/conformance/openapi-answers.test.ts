/**
 * Proves that the OpenAPI document agrees with what the process answers: every route of the
 * document is answered with success and without an empty list, and each answer has exactly the
 * names, types, media types and headers that the document has. That the refusals and the answers of
 * all other suites agree as well is checked wherever they arrive (`documented-interface.ts`).
 */
import assert from "node:assert/strict";
import test from "node:test";
import { buildOpenApi } from "../../src/api/openapi.ts";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { undocumented } from "../support/documented-interface.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { pathWithQuery, type Query } from "../support/signed-client.ts";
import { AnswerFixture } from "./answer-fixture.ts";
import { ANSWERED_REQUESTS } from "./answered-requests.ts";

/** Lists that nothing puts anything in here, and why. */
const NO_CHAINS = "deposits and withdrawals are the operator's";
const NO_SUSPICION = "nobody refers themselves or washes trades here";
const EMPTY_LISTS: Readonly<Record<string, string>> = {
  "GET /api/v2/public/currencies.data[].chains": NO_CHAINS,
  "GET /api/v3/coins[].networkList": NO_CHAINS,
  "GET /api/v2/rebate/affiliate/explainCommission.data.flags": NO_SUSPICION,
  "GET /api/v3/rebate/affiliate/explainCommission.flags": NO_SUSPICION,
  "GET /api/v2/rebate/affiliate/getAffiliateCommission.data.channelCommissionInfoItems[].flags":
    NO_SUSPICION,
  "GET /api/v3/rebate/affiliate/getAffiliateCommission.channelCommissionInfoItems[].flags":
    NO_SUSPICION,
  "GET /api/v3/rebate/affiliate/statement.entries[].flags": NO_SUSPICION,
  "GET /capi/v3/market/exchangeInfo.rateLimits": "each call has a limit of its own",
  "POST /api/v2/trade/cancel-symbol-order.data.failureList": "no cancel of a whole market fails",
};

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

async function answerTo(fixture: AnswerFixture, route: Route): Promise<HttpAnswer> {
  const request = ANSWERED_REQUESTS[nameOf(route)];
  assert.ok(request !== undefined, "a route without a request here");
  const { query = {}, body } = await request(fixture);
  return await fixture.caller.client.send({
    method: route.method,
    path: pathWithQuery(route.path, query as Query),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Where in an answer there are empty lists. */
function emptyLists(value: unknown, at: string): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [at];
    return [...new Set(value.flatMap((item) => emptyLists(item, `${at}[]`)))];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => emptyLists(field, `${at}.${name}`));
}

test("every route of the document is answered as it says", async (t) => {
  const fixture = await AnswerFixture.open();
  t.after(() => fixture.exchange.stop());
  const { status, text } = await fixture.caller.client.raw({
    method: "GET",
    path: "/openapi.json",
  });
  assert.equal(status, 200);
  const served = JSON.parse(text) as { readonly paths: unknown };
  // What answers are compared with is what is served.
  assert.deepEqual(served.paths, (buildOpenApi("0") as { readonly paths: unknown }).paths);
  const empty: string[] = [];
  for (const route of ROUTES) {
    await t.test(nameOf(route), async () => {
      const answer = await answerTo(fixture, route);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(undocumented({ method: route.method, path: route.path }, answer), null);
      empty.push(...emptyLists(answer.body, nameOf(route)));
    });
  }
  assert.deepEqual(empty.sort(), Object.keys(EMPTY_LISTS).sort());
  assert.deepEqual(
    Object.keys(ANSWERED_REQUESTS).filter(
      (name) => !ROUTES.some((route) => nameOf(route) === name),
    ),
    [],
  );
});
