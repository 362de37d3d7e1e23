/**
 * Conditions for any answer of the API, whatever the request: in the format of its path's family,
 * with a status and code that the registry of errors pairs, and never a failure of the server.
 */
import assert from "node:assert/strict";
import type { Family } from "../../src/api/calls.ts";
import { ERRORS } from "../../src/api/errors.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { assertShape, assertV2Refusal } from "./wire-shape.ts";

/** Codes that the design names outright; the registry must keep them. */
const NAMED_BY_DESIGN: readonly (readonly [code: string, status: number])[] = [
  ["40001", 400],
  ["40002", 400],
  ["40003", 400],
  ["40005", 400],
  ["40006", 400],
  ["40007", 400],
  ["40008", 400],
  ["40009", 400],
  ["40011", 400],
  ["40012", 400],
  ["40014", 400],
  ["40018", 400],
  ["40034", 400],
  ["40404", 404],
  ["40913", 400],
  ["43001", 400],
  ["43006", 400],
  ["43011", 400],
  ["43012", 400],
  ["45110", 400],
  ["429", 429],
  ["-1003", 429],
  ["-1040", 401],
  ["-1041", 401],
  ["-1042", 401],
  ["-1043", 401],
  ["-1044", 401],
  ["-1045", 401],
  ["-1046", 401],
  ["-1047", 401],
  ["-1048", 401],
  ["-1049", 401],
  ["-1052", 403],
  ["-1056", 403],
  ["-1121", 400],
  ["-1150", 405],
  ["-2200", 400],
  ["-2201", 400],
  ["-2202", 400],
  ["-2203", 400],
  ["-2204", 400],
  ["-2205", 400],
];

/** Those of contracts. */
const NAMED_FOR_CONTRACTS: readonly (readonly [code: string, status: number])[] = [
  ["-1003", 429],
  ["-1040", 401],
  ["-1052", 403],
  ["-1054", 400],
  ["-1115", 400],
  ["-1116", 400],
  ["-1117", 400],
  ["-1121", 400],
  ["-1128", 400],
  ["-1140", 400],
  ["-1150", 405],
  ["-1160", 400],
  ["-1170", 400],
  ["-1171", 400],
  ["-1180", 400],
  ["-3007", 400],
  ["-3200", 400],
  ["-3201", 400],
  ["-3202", 400],
  ["-3203", 400],
  ["-3204", 400],
  ["-3205", 400],
  ["-3206", 400],
  ["-3207", 400],
  ["-3208", 400],
  ["-3209", 400],
  ["-3210", 400],
  ["-3313", 400],
  ["-3613", 400],
];

const documented: Readonly<Record<Family, ReadonlySet<string>>> = {
  v2: new Set(Object.values(ERRORS).map(({ v2 }) => `${v2.code} ${v2.status}`)),
  v3: new Set(Object.values(ERRORS).map(({ v3 }) => `${v3.code} ${v3.status}`)),
  capi: new Set(Object.values(ERRORS).map(({ capi }) => `${capi.code} ${capi.status}`)),
};

/** Fails when the registry lost or changed what the design names. */
export function assertRegistryKeepsDesign(): void {
  for (const [code, status] of NAMED_BY_DESIGN) {
    const family = code.startsWith("-") ? "v3" : "v2";
    assert.ok(documented[family].has(`${code} ${status}`), `${code} with HTTP ${status}`);
  }
  for (const [code, status] of NAMED_FOR_CONTRACTS) {
    assert.ok(documented.capi.has(`${code} ${status}`), `contracts: ${code} with HTTP ${status}`);
  }
}

export function familyOf(path: string): Family {
  if (path.startsWith("/capi/v3")) return "capi";
  return path.startsWith("/api/v3") ? "v3" : "v2";
}

/** The code of a refusal as text; null for a success. */
export function codeOf(answer: HttpAnswer): string | null {
  const { code } = (answer.body ?? {}) as { code?: unknown };
  const isSuccess = code === undefined || code === "00000" || code === "200";
  if (answer.status === 200 && isSuccess) return null;
  return String(code);
}

/** Success, or a documented refusal in the family's form. */
export function assertDocumented(answer: HttpAnswer, family: Family): void {
  assert.ok(answer.status < 500, `status ${answer.status}`);
  assert.notEqual(answer.body, undefined, `no JSON: ${answer.text.slice(0, 200)}`);
  if (answer.status === 200) {
    const { code } = answer.body as { code?: unknown };
    if (family === "v2") assert.ok(code === "00000" || code === "200", answer.text);
    else assert.ok(!Object.hasOwn(answer.body as object, "msg"), "a success of v3 with msg");
    return;
  }
  const { code } = answer.body as { code?: unknown };
  if (answer.status === 431 && family !== "v2" && typeof code === "string") {
    // A head that is too long, and came in pieces, is refused before it tells its path.
    assertDocumented(answer, "v2");
    return;
  }
  const known = documented[family].has(`${String(code)} ${answer.status}`);
  assert.ok(known, `not documented: ${answer.status} ${String(code)}`);
  if (family !== "v2") assertShape(answer.body, { code: "integer", msg: "string" });
  else assertV2Refusal(answer.body);
}
