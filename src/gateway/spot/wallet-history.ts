/**
 * Lists of a user's spot wallet, newest first, in the rows of both versions: bills,
 * deposits and withdrawals, transfers.
 */
import { refuse } from "../../api/errors.ts";
import type { billsRoute, fundingBillsRoute, transferRecordsRoute } from "../../api/v2/account.ts";
import { accept, invariant, type Wallet } from "../../domain/index.ts";
import type { AssetView } from "../../protocol/index.ts";
import type { Bill, FundingMovement, Transfer } from "../../queries/history-port.ts";
import type { BodyInput, Exchange, Outcome, QueryInput } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { readStartAndEnd, readTimeRange, type Whole } from "../parameters.ts";

/** Of either version: v2 sends the digits of numbers as text, too. */
type BillsFilter = BodyInput<typeof billsRoute>;
type FundingFilter = BodyInput<typeof fundingBillsRoute>;
type TransfersFilter = QueryInput<typeof transferRecordsRoute>;

export async function queryBills(exchange: Exchange, uid: number, filter: BillsFilter) {
  const time = readTimeRange(filter.after, filter.before, ["after", "before"]);
  if (!time.ok) return time;
  const coin = await queryCoins(exchange, filter.coinId);
  if (!coin.ok) return coin;
  const { assets, asset, sequence } = coin.value;
  const question = {
    uid,
    asset,
    billType: filter.bizType ?? null,
    time: time.value,
    limit: Number(filter.limit),
  };
  const rows = await queryHistory(exchange, "bills", question, sequence);
  return rows.ok ? accept(rows.value.map((bill) => toBill(bill, assets))) : rows;
}

function toBill(bill: Bill, assets: readonly AssetView[]) {
  return {
    billId: String(bill.billId),
    coinId: coinIdOf(bill.asset, assets),
    coinName: bill.asset,
    bizType: bill.billType,
    fillSize: bill.fillQuantity,
    fillValue: bill.fillValue,
    deltaAmount: bill.delta,
    afterAmount: bill.after,
    fees: bill.fee,
    cTime: String(bill.timeMs),
  };
}

export async function queryFundingBills(exchange: Exchange, uid: number, filter: FundingFilter) {
  const page = Number(filter.pageIndex);
  const pageSize = Number(filter.pageSize);
  const time = readStartAndEnd(filter);
  if (!time.ok) return time;
  const coin = await queryCoins(exchange, filter.coinId);
  if (!coin.ok) return coin;
  const { assets, asset, sequence } = coin.value;
  const question = { uid, asset, time: time.value, page: { page, pageSize } };
  const answer = await queryHistory(exchange, "funding-movements", question, sequence);
  if (!answer.ok) return answer;
  const { total, rows } = answer.value;
  const pages = Math.ceil(total / pageSize);
  return accept({
    total,
    pageSize,
    pages,
    page,
    hasNextPage: page < pages,
    items: rows.map((movement) => toFundingBill(movement, assets)),
  });
}

function toFundingBill(movement: FundingMovement, assets: readonly AssetView[]) {
  const deposit = movement.kind === "deposit";
  return {
    billId: String(movement.movementId),
    coinId: coinIdOf(movement.asset, assets),
    coinName: movement.asset,
    bizType: deposit ? ("deposit" as const) : ("withdraw" as const),
    fillSize: null,
    fillValue: null,
    deltaAmount: deposit ? movement.amount : `-${movement.amount}`,
    afterAmount: movement.after,
    fees: "0",
    cTime: String(movement.timeMs),
  };
}

export const WALLETS_BY_TYPE = { SPOT: "spot", CONTRACT: "contract" } as const;
const WALLET_TYPES: Readonly<Record<Wallet, keyof typeof WALLETS_BY_TYPE>> = {
  spot: "SPOT",
  contract: "CONTRACT",
};

export async function queryTransfers(exchange: Exchange, uid: number, filter: TransfersFilter) {
  const time = readTimeRange(filter.after, filter.before, ["after", "before"]);
  if (!time.ok) return time;
  const coin = await queryCoins(exchange, filter.coinId);
  if (!coin.ok) return coin;
  const { asset, sequence } = coin.value;
  const question = {
    uid,
    asset,
    from: filter.fromType === undefined ? null : WALLETS_BY_TYPE[filter.fromType],
    time: time.value,
    limit: filter.limit,
  };
  const rows = await queryHistory(exchange, "transfers", question, sequence);
  return rows.ok ? accept(rows.value.map(toRecord)) : rows;
}

function toRecord(transfer: Transfer) {
  return {
    coinName: transfer.asset,
    status: "Successful" as const,
    toType: WALLET_TYPES[transfer.to],
    toSymbol: "",
    fromType: WALLET_TYPES[transfer.from],
    fromSymbol: "",
    amount: transfer.amount,
    tradeTime: String(transfer.timeMs),
  };
}

interface Coins {
  readonly assets: readonly AssetView[];
  /** The asset that the caller wants; null is every asset. */
  readonly asset: string | null;
  readonly sequence: number;
}

async function queryCoins(
  { engine }: Exchange,
  coinId: Whole | undefined,
): Promise<Outcome<Coins>> {
  const listed = await engine.query({ type: "assets" });
  if (!listed.ok) return listed;
  const { value: assets, sequence } = listed;
  if (coinId === undefined) return accept({ assets, asset: null, sequence });
  const found = assets.find((asset) => asset.coinId === Number(coinId));
  return found === undefined
    ? refuse("unknown-asset", "coinId")
    : accept({ assets, asset: found.asset, sequence });
}

function coinIdOf(asset: string, assets: readonly AssetView[]): number {
  const found = assets.find((listed) => listed.asset === asset);
  invariant(found !== undefined, `${asset} has moved, so it is listed`);
  return found.coinId;
}
