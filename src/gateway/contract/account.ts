/** POST /capi/v3/account/income: changes of the caller's contract wallet, newest first. */
import { incomeRoute } from "../../api/contract/account.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { BodyOf } from "../../api/route.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { Income, IncomeCursor } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { lookUpSymbol } from "./known-symbol.ts";
import { readPastRange } from "./past-range.ts";

const LIMIT_STANDARD = 20;
const DAYS_MAX = 100;

export const incomeEndpoint = endpoint(incomeRoute, async ({ caller, body }, exchange) => {
  const limit = body.limit ?? LIMIT_STANDARD;
  const time = readPastRange(body, DAYS_MAX);
  if (!time.ok) return time;
  const before = readCursor(body);
  if (!before.ok) return before;
  const { engine } = exchange;
  const known = await lookUpSymbol(engine, body.symbol);
  if (!known.ok) return known;
  if (body.asset !== undefined) {
    const assets = await engine.ask({ type: "assets" });
    if (!assets.ok) return assets;
    if (!assets.value.some(({ asset }) => asset === body.asset)) {
      return refuse("unknown-asset", "asset");
    }
  }
  const question = {
    uid: caller.uid,
    asset: body.asset ?? null,
    symbol: body.symbol ?? null,
    incomeType: body.incomeType ?? null,
    time: time.value,
    before: before.value,
    // One more than is answered tells whether there is another page.
    limit: limit + 1,
  };
  const rows = await askPast(exchange, "income", question, known.sequence);
  if (!rows.ok) return rows;
  const page = rows.value.slice(0, limit);
  const hasNextPage = rows.value.length > limit;
  return accept({
    hasNextPage,
    nextKey: hasNextPage ? keyOf(page) : null,
    items: page.map(toItem),
  });
});

function readCursor(body: BodyOf<typeof incomeRoute>): Accepted<IncomeCursor | null> | Refusal {
  const { nextKeyId, nextKeyTime } = body;
  if (nextKeyId === undefined && nextKeyTime === undefined) return accept(null);
  if (nextKeyId === undefined || nextKeyTime === undefined) {
    const absent = nextKeyId === undefined ? "nextKeyId" : "nextKeyTime";
    return refuse("invalid-combination", absent, "nextKeyId and nextKeyTime go together");
  }
  const incomeId = Number(nextKeyId);
  if (!Number.isSafeInteger(incomeId)) {
    return refuse("invalid-parameter", "nextKeyId", "an id of the page before");
  }
  return accept({ incomeId, timeMs: nextKeyTime });
}

function keyOf(page: readonly Income[]) {
  const last = page.at(-1);
  return last === undefined ? null : { nextKeyId: last.incomeId, nextKeyTime: last.timeMs };
}

function toItem(row: Income) {
  return {
    billId: row.incomeId,
    asset: row.asset,
    symbol: row.symbol,
    income: row.income,
    incomeType: row.incomeType,
    balance: row.balance,
    fillFee: row.fillFee,
    time: row.timeMs,
    transferReason: row.transferReason,
  };
}
