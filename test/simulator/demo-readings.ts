/** What is asked under the names of the demo account: the same rows, in which USDT is SUSDT. */
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { CONTRACT_READINGS } from "./contract-readings.ts";
import type { Known, Question, Readings } from "./questions.ts";

type Row = Readonly<Record<string, unknown>>;

const toDemo = (name: string) => name.replace(/USDT$/, "SUSDT");

function renamed(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    ...(typeof row.asset === "string" ? { asset: toDemo(row.asset) } : {}),
    ...(typeof row.symbol === "string" ? { symbol: toDemo(row.symbol) } : {}),
  }));
}

/** Fields of a whole row, which none has here. */
function inBasic(row: Row): Row {
  const { cancelReason: _, orderSource: __, ...basic } = row;
  return basic;
}

const inDemo =
  (target: string) =>
  (known: Known, random: Random): Question | null => {
    const question = CONTRACT_READINGS[target]?.(known, random) ?? null;
    if (question === null) return null;
    const { due, sent } = question;
    const { symbol } = sent;
    const isRenamed = typeof symbol === "string" && random.chance(0.7);
    const asked: Query = isRenamed ? { ...sent, symbol: toDemo(symbol) } : sent;
    return {
      sent: asked,
      due: (said, nowMs) => renamed((due(said, nowMs) as readonly Row[]).map(inBasic)),
    };
  };

export const DEMO_READINGS: Readings = {
  "GET /capi/v3/sim/balance": inDemo("GET /capi/v3/account/balance"),
  "GET /capi/v3/sim/position/allPosition": inDemo("GET /capi/v3/account/position/allPosition"),
  "GET /capi/v3/sim/order/history": inDemo("GET /capi/v3/order/history"),
};
