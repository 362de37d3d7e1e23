/** What holds for every call, as the Markdown in front of the reference. */

import type { Limit } from "../calls.ts";
import { CONSOLE_WEIGHT, PAGES } from "../pages.ts";
import type { Route } from "../route.ts";
import { ROUTES } from "../routes.ts";
import { errorTables } from "./error-tables.ts";
import { table } from "./markdown.ts";
import { SIGNING_TEXT } from "./signing.ts";

/** In words, for one call. */
export function describeLimit(limit: Limit, isPublic: boolean): string {
  if (limit.kind === "rate") {
    return `${limit.perSecond} requests a second per ${isPublic ? "IP address" : "user"}`;
  }
  return isPublic ? `weight ${limit.ip} (IP)` : `weight ${limit.ip} (IP), ${limit.uid} (UID)`;
}

export function describePermission({ access }: Route): string {
  return access === null ? "none" : access.anyOf.join(" or ");
}

function limitRow(route: Route): readonly string[] {
  const { limit, access } = route;
  const permission = describePermission(route);
  const call = `\`${route.method} ${route.path}\``;
  if (limit.kind === "rate") {
    const perSecond = `${limit.perSecond} a second`;
    return access === null ? [call, perSecond, "", permission] : [call, "", perSecond, permission];
  }
  return [call, String(limit.ip), access === null ? "" : String(limit.uid), permission];
}

const PAGE_ROWS = [
  ...Object.values(PAGES).map(({ path, weight }) => [`\`GET ${path}\``, String(weight)]),
  ["the files of the console together", String(CONSOLE_WEIGHT)],
].map(([page = "", weight = ""]) => [page, weight, "", "none"]);

const LIMITS = `A *weight* is taken from two pools of 500 per 10 seconds, one per IP address and one
per user. Each call has pools of its own. *N a second* is a bucket of N that gains one every 1/N
second, per user, or per IP address on a public call.

Beyond a limit the answer is HTTP 429 with \`Retry-After\` in seconds, and nothing was done. Every
answer carries \`X-USED-WEIGHT-10S\`, answers to orders also \`X-ORDER-COUNT-1S\`. Bodies may have
16 KiB, and so may URL and headers together.

An address may hold 256 connections, streams included, unless the venue says otherwise; one more
is answered 429 and closed. Requests that are sent on one connection without waiting for answers are
carried out in their order. \`/metrics\` is here only where the venue wants it.

A key needs one of the permissions that the call names; public calls need no key.

${table(["Call", "Per IP", "Per user", "Permission"], [...ROUTES.map(limitRow), ...PAGE_ROWS])}`;

const VALUES = `- Amounts and prices are decimal text without sign, exponent, white space or leading
  zeros, on the market's tick and step. Answers have no trailing zeros either, and \`"0"\` for zero.
- Times are Unix milliseconds of exchange time; ranges include both ends.
- Ids are below 2^53, so that every JSON reader has them exact.
- Unknown fields are ignored. Wrong types, repeated JSON keys, JSON keys with escapes and repeated
  query parameters are refused.
- What an optional parameter's schema gives as default is what an absent one counts as. Most take
  \`null\` and \`""\` for absent.
- Answers of v2 stand in an envelope with a \`code\` as text; those of v3 are bare.`;

const EXAMPLES = `The examples of all calls are one session of trading that the tests play against a
real exchange: every request was sent, and every answer is what came back. Alice (uid 1001) and Bob
(1002) trade, and Cora (1003) is the affiliate who invited Alice. The headers of signed calls are
left out.`;

const ERRORS = `A refusal of v2 is \`{"code", "msg", "requestTime", "data": null}\` with a code as
text, and carries a \`timestamp\` too where success does. One of v3 is \`{"code", "msg"}\` with a
negative number, and its HTTP status says the kind: 400 for the request, 401 for who asks, 403 for
what the key may do, 429 beyond a limit, 503 when to try again. The message names the offending
parameter and what would be accepted. A refusal changes nothing.

${errorTables("###")}`;

export interface IntroductionSection {
  readonly title: string;
  /** Markdown; headings in it are of the third level. */
  readonly text: string;
}

/** Before the calls, in this order. */
export const INTRODUCTION: readonly IntroductionSection[] = [
  { title: "Signing", text: SIGNING_TEXT },
  { title: "Limits", text: LIMITS },
  { title: "Values", text: VALUES },
  { title: "Examples", text: EXAMPLES },
  { title: "Errors", text: ERRORS },
];
