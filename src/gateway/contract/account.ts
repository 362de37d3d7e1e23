/** Contracts: wallet, settings of markets, fees and income of the caller. */
import {
  accountConfigRoute,
  balanceRoute,
  commissionRateRoute,
  incomeRoute,
  leverageRoute,
  marginTypeRoute,
  symbolConfigRoute,
} from "../../api/contract/account.ts";
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import type { ContractSettingsView } from "../../protocol/index.ts";
import type { Income, IncomeCursor } from "../../queries/history-port.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type BodyInput, type Endpoint, endpoint } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { type Read, readPastRange } from "../parameters.ts";
import { lookUpSymbol } from "./symbol-history.ts";

const INCOME_DAYS_MAX = 100;

export const balance = endpoint(balanceRoute, async ({ caller }, { engine }) => {
  const balances = await engine.query({ type: "contract-balances", uid: caller.uid });
  if (!balances.ok) return balances;
  return accept(
    balances.value.map(({ asset, balance, availableBalance, frozen, unrealizePnl }) => {
      return { asset, balance, availableBalance, frozen, unrealizePnl };
    }),
  );
});

export const accountConfig = endpoint(accountConfigRoute, async ({ caller }, { engine }) => {
  const user = await engine.query({ type: "user", uid: caller.uid });
  if (!user.ok) return user;
  return accept({
    canTrade: user.value.state === "active",
    canDeposit: true,
    canWithdraw: true,
    dualSidePosition: true as const,
    updateTime: user.value.registeredMs,
  });
});

export const symbolConfig = endpoint(symbolConfigRoute, async ({ caller, query }, { engine }) => {
  const symbol = query.symbol ?? null;
  const settings = await engine.query({ type: "contract-settings", uid: caller.uid, symbol });
  if (!settings.ok) return settings;
  return accept(
    settings.value.map((market) => ({
      ...settingsAnswer(market),
      separatedType: market.separatedType,
    })),
  );
});

/** Leverages are text. */
function settingsAnswer(settings: ContractSettingsView) {
  return {
    symbol: settings.symbol,
    marginType: settings.marginType,
    crossLeverage: String(settings.crossLeverage),
    isolatedLongLeverage: String(settings.isolatedLongLeverage),
    isolatedShortLeverage: String(settings.isolatedShortLeverage),
  };
}

export const commissionRate = endpoint(
  commissionRateRoute,
  async ({ caller, query }, { engine }) => {
    const { symbol } = query;
    const rates = await engine.query({ type: "contract-fee-rates", uid: caller.uid, symbol });
    if (!rates.ok) return rates;
    return accept({
      symbol: rates.value.symbol,
      makerCommissionRate: rates.value.makerFeeRate,
      takerCommissionRate: rates.value.takerFeeRate,
    });
  },
);

export const leverage = endpoint(leverageRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const crossLeverage = toLeverage(body.crossLeverage);
  const isolatedLongLeverage = toLeverage(body.isolatedLongLeverage);
  const isolatedShortLeverage = toLeverage(body.isolatedShortLeverage);
  if (crossLeverage === null && isolatedLongLeverage === null && isolatedShortLeverage === null) {
    const detail = "or isolatedLongLeverage, isolatedShortLeverage: at least one";
    return refuse("missing-parameter", "crossLeverage", detail);
  }
  const changed = await engine.executeOnce<"set-leverage">(requestIdOf(request), {
    type: "set-leverage",
    uid: caller.uid,
    symbol: body.symbol,
    marginType: body.marginType ?? null,
    crossLeverage,
    isolatedLongLeverage,
    isolatedShortLeverage,
  });
  return changed.ok ? accept(settingsAnswer(changed.value)) : changed;
});

function toLeverage(sent: number | string | undefined): number | null {
  return sent === undefined ? null : Number(sent);
}

export const marginType = endpoint(marginTypeRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const changed = await engine.executeOnce<"set-margin-type">(requestIdOf(request), {
    type: "set-margin-type",
    uid: caller.uid,
    symbol: body.symbol,
    marginType: body.marginType,
    separatedType: body.separatedType ?? null,
  });
  if (!changed.ok) return changed;
  return accept({ code: "200" as const, requestTime: changed.timestampMs });
});

export const income = endpoint(incomeRoute, async ({ caller, body }, exchange) => {
  const { limit } = body;
  const time = readPastRange(body, INCOME_DAYS_MAX);
  if (!time.ok) return time;
  const before = readCursor(body);
  if (!before.ok) return before;
  const { engine } = exchange;
  const known = await lookUpSymbol(engine, body.symbol);
  if (!known.ok) return known;
  if (body.asset !== undefined) {
    const assets = await engine.query({ type: "assets" });
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
  const rows = await queryHistory(exchange, "income", question, known.sequence);
  if (!rows.ok) return rows;
  const page = rows.value.slice(0, limit);
  const hasNextPage = rows.value.length > limit;
  return accept({
    hasNextPage,
    nextKey: hasNextPage ? keyOf(page) : null,
    items: page.map(toItem),
  });
});

function readCursor(body: BodyInput<typeof incomeRoute>): Read<IncomeCursor | null> {
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

export const CONTRACT_ACCOUNT_ENDPOINTS: readonly Endpoint[] = [
  balance,
  accountConfig,
  symbolConfig,
  commissionRate,
  leverage,
  marginType,
  income,
];
