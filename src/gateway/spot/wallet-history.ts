/**
 * Lists of a user's spot wallet, newest first, in the rows that both families write: bills,
 * deposits and withdrawals, transfers.
 */
import { accept, type Wallet } from "../../domain/index.ts";
import type { Bill, BillType, FundingMovement, Transfer } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { readTimeRange } from "../parameters.ts";
import { CoinDirectory } from "../v3/coin-directory.ts";

const BILLS_STANDARD = 10;
const PAGE_STANDARD = 1;
const PAGE_SIZE_STANDARD = 10;
const TRANSFERS_STANDARD = 100;

type CoinId = string | number | undefined;

export interface BillsFilter {
  readonly coinId?: string | number | undefined;
  readonly bizType?: BillType | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

export async function askBills(exchange: Exchange, uid: number, filter: BillsFilter) {
  const time = readTimeRange(filter.after, filter.before, ["after", "before"]);
  if (!time.ok) return time;
  const coin = await askCoin(exchange, filter.coinId);
  if (!coin.ok) return coin;
  const { directory, asset, sequence } = coin.value;
  const question = {
    uid,
    asset,
    billType: filter.bizType ?? null,
    time: time.value,
    limit: filter.limit ?? BILLS_STANDARD,
  };
  const rows = await askPast(exchange, "bills", question, sequence);
  return rows.ok ? accept(rows.value.map((bill) => toBill(bill, directory))) : rows;
}

function toBill(bill: Bill, directory: CoinDirectory) {
  return {
    billId: String(bill.billId),
    coinId: directory.coinId(bill.asset),
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

export interface FundingFilter {
  readonly coinId?: string | number | undefined;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly pageIndex?: number | undefined;
  readonly pageSize?: number | undefined;
}

export async function askFundingBills(exchange: Exchange, uid: number, filter: FundingFilter) {
  const page = filter.pageIndex ?? PAGE_STANDARD;
  const pageSize = filter.pageSize ?? PAGE_SIZE_STANDARD;
  const time = readTimeRange(filter.startTime, filter.endTime, ["startTime", "endTime"]);
  if (!time.ok) return time;
  const coin = await askCoin(exchange, filter.coinId);
  if (!coin.ok) return coin;
  const { directory, asset, sequence } = coin.value;
  const question = { uid, asset, time: time.value, page: { page, pageSize } };
  const answer = await askPast(exchange, "funding-movements", question, sequence);
  if (!answer.ok) return answer;
  const { total, rows } = answer.value;
  const pages = Math.ceil(total / pageSize);
  return accept({
    total,
    pageSize,
    pages,
    page,
    hasNextPage: page < pages,
    items: rows.map((movement) => toFundingBill(movement, directory)),
  });
}

function toFundingBill(movement: FundingMovement, directory: CoinDirectory) {
  const deposit = movement.kind === "deposit";
  return {
    billId: String(movement.movementId),
    coinId: directory.coinId(movement.asset),
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

const WALLETS = { SPOT: "spot", CONTRACT: "contract" } as const;
const WALLET_TYPES: Readonly<Record<Wallet, keyof typeof WALLETS>> = {
  spot: "SPOT",
  contract: "CONTRACT",
};

export interface TransfersFilter {
  readonly coinId?: number | undefined;
  readonly fromType?: keyof typeof WALLETS;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

export async function askTransfers(exchange: Exchange, uid: number, filter: TransfersFilter) {
  const time = readTimeRange(filter.after, filter.before, ["after", "before"]);
  if (!time.ok) return time;
  const coin = await askCoin(exchange, filter.coinId);
  if (!coin.ok) return coin;
  const { asset, sequence } = coin.value;
  const question = {
    uid,
    asset,
    from: filter.fromType === undefined ? null : WALLETS[filter.fromType],
    time: time.value,
    limit: filter.limit ?? TRANSFERS_STANDARD,
  };
  const rows = await askPast(exchange, "transfers", question, sequence);
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

interface Coin {
  readonly directory: CoinDirectory;
  /** Null is every asset. */
  readonly asset: string | null;
  readonly sequence: number;
}

async function askCoin({ engine }: Exchange, coinId: CoinId): Promise<Outcome<Coin>> {
  const assets = await engine.ask({ type: "assets" });
  if (!assets.ok) return assets;
  const directory = new CoinDirectory(assets.value);
  const asset = directory.read(coinId);
  return asset.ok ? accept({ directory, asset: asset.value, sequence: assets.sequence }) : asset;
}
