/** Rules that apply to every call, as the Markdown introduction of the reference. */

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
  ["all files of the console", String(CONSOLE_WEIGHT)],
].map(([page = "", weight = ""]) => [page, weight, "", "none"]);

const LIMITS = `A *weight* is deducted from two pools of 500 per 10 seconds, one per IP address and
one per user. Each call has its own pools. *N a second* is a bucket of N that refills by one every
1/N second, per user, or per IP address for public calls.

Over a limit, the response is HTTP 429 with \`Retry-After\` in seconds, and nothing was done. Every
response carries \`X-USED-WEIGHT-10S\`, responses to orders also \`X-ORDER-COUNT-1S\`. Bodies are
limited to 16 KiB, and so are URL and headers together.

An address may hold 256 connections, streams included, unless the operator sets another limit; one
more gets 429 and is closed. Pipelined requests on one connection are executed in order.
\`/metrics\` is available here only if the operator enables it.

A key needs one of the permissions listed with the call; public calls need no key.

${table(["Call", "Per IP", "Per user", "Permission"], [...ROUTES.map(limitRow), ...PAGE_ROWS])}`;

const VALUES = `- Amounts and prices are decimal text without sign, exponent, white space or leading
  zeros, on the market's tick and step. Responses have no trailing zeros either; zero is \`"0"\`.
- Times are Unix milliseconds of exchange time; ranges include both ends.
- Ids are below 2^53, so every JSON parser reads them exactly.
- Unknown fields are ignored. Wrong types, repeated JSON keys, JSON keys with escapes and repeated
  query parameters are rejected.
- An absent optional parameter has the default given in its schema. For most parameters,
  \`null\` and \`""\` count as absent.
- \`X-Rialto-Sequence\` is the last command that a response shows or has carried out. A GET with
  \`X-Rialto-Min-Sequence\` shows everything up to that command, on any node of a cluster: it waits
  for up to 2 s, then it is refused with 503.
- v2 responses have an envelope with a string \`code\`; v3 responses are bare.`;

const EXAMPLES = `All examples are recorded from one trading session that the tests run against a
real exchange. Alice (uid 1001) and Bob (1002) trade; Cora (1003) is the affiliate who invited
Alice. The headers of signed calls are omitted.`;

const ERRORS = `A v2 error is \`{"code", "msg", "requestTime", "data": null}\` with a string code,
plus a \`timestamp\` if the success response has one. A v3 error is \`{"code", "msg"}\` with a
negative number. Its HTTP status shows the kind: 400 for the request, 401 for authentication, 403
for a missing permission, 429 over a limit, 503 for a temporary condition. The message names the
offending parameter and what would be accepted. A rejected request changes nothing.

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
