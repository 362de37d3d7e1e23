/**
 * An exchange with a small tree of affiliates whose invitees trade spot and contracts, and the
 * fills as the traders see them, from which a test can compute every row of every report.
 */
import assert from "node:assert/strict";
import {
  makeAffiliate,
  openAffiliate,
  openInvitee,
  passFullHour,
} from "../support/affiliate-setup.ts";
import {
  BTC_CONTRACT,
  depositContract,
  listContract,
  openContractAccount,
  setIndex,
} from "../support/contract-setup.ts";
import {
  BUY_LONG,
  openBoth,
  place as placeContract,
  SELL_LONG,
} from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, BTCUSDT, listMarket, openAccount } from "../support/exchange-setup.ts";

export const DAY_MS = 24 * 60 * 60_000;

/** Rates in both products; top's is above mid's in each. */
export const TOP_RATES = { spotRate: "0.4", futuresRate: "0.5" } as const;
export const MID_RATES = { spotRate: "0.3", futuresRate: "0.2" } as const;

export interface Tree {
  readonly exchange: ExchangeProcess;
  /** Without a parent. Invited mid and carol. */
  readonly top: Account;
  /** An affiliate below top. Invited alice, bob and idle. */
  readonly mid: Account;
  readonly alice: Account;
  readonly bob: Account;
  readonly carol: Account;
  readonly idle: Account;
  /** Nobody's invitees. */
  readonly outsider: Account;
  readonly contractOutsider: Account;
}

export async function openTree(): Promise<Tree> {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  await passFullHour(exchange);
  await listMarket(exchange, "BTCUSDT", BTCUSDT);
  await listContract(exchange, "BTCUSDT", BTC_CONTRACT);
  await setIndex(exchange, "BTCUSDT", "60000");
  const top = await openAffiliate(exchange, TOP_RATES);
  const mid = await openInvitee(exchange, top.uid, { permissions: ["affiliate", "read", "spot"] });
  await makeAffiliate(exchange, mid.uid, MID_RATES, top.uid);
  const spot = { USDT: "100000", BTC: "2" };
  const contract = { USDT: "50000" };
  const alice = await openInvitee(exchange, mid.uid, { spot, contract });
  const bob = await openInvitee(exchange, mid.uid, { spot });
  const carol = await openInvitee(exchange, top.uid, { spot });
  const idle = await openInvitee(exchange, mid.uid);
  const outsider = await openAccount(exchange, { USDT: "1000000", BTC: "20" });
  const contractOutsider = await openContractAccount(exchange, "1000000");
  const users = { top, mid, alice, bob, carol, idle, outsider, contractOutsider };
  return { exchange, ...users };
}

export async function closeTree({ exchange, ...users }: Tree): Promise<void> {
  for (const { client } of Object.values(users)) client.close();
  await exchange.stop();
}

let orders = 0;

async function placeSpot(
  { client }: Account,
  side: "BUY" | "SELL",
  quantity: string,
  price: string,
): Promise<void> {
  const newClientOrderId = `tree-${++orders}`;
  const order = { symbol: "BTCUSDT", side, type: "LIMIT", quantity, price, newClientOrderId };
  const answer = await client.post("/api/v3/order", order);
  assert.equal(answer.status, 200, answer.text);
}

/** The first rests in the book, the second takes; each fill at an own millisecond. */
export async function tradeSpot(
  { exchange }: Tree,
  buyer: Account,
  seller: Account,
  quantity: string,
  price: string,
  maker: "buyer" | "seller" = "seller",
): Promise<void> {
  const sides = [
    [buyer, "BUY"],
    [seller, "SELL"],
  ] as const;
  for (const [account, side] of maker === "buyer" ? sides : sides.toReversed()) {
    await placeSpot(account, side, quantity, price);
  }
  await exchange.operator.advanceClock(7);
}

/**
 * Spot fills with an outsider in both roles, between two invitees of different affiliates, with
 * oneself, and of an amount that leaves fractions; contract fills in both roles.
 */
export async function tradeAll(tree: Tree): Promise<void> {
  const { exchange, alice, bob, carol, outsider, contractOutsider } = tree;
  await tradeSpot(tree, alice, outsider, "0.0137", "50000");
  await tradeSpot(tree, outsider, alice, "0.021", "50111.11", "seller");
  await tradeSpot(tree, carol, alice, "0.01", "49999.99", "buyer");
  await tradeSpot(tree, bob, bob, "0.05", "50500");
  await tradeSpot(tree, outsider, carol, "0.00313", "50123.45", "buyer");
  await openBoth(alice, contractOutsider, "0.123", "60000");
  await placeContract(alice, SELL_LONG, "0.023", "60010.1");
  await placeContract(contractOutsider, BUY_LONG, "0.023", "60010.1");
  await exchange.operator.advanceClock(7);
}

/** Deposits and withdrawals behind the first trade, so that BTC has a price. */
export async function moveFunds({ exchange, alice }: Tree): Promise<void> {
  const path = `/operator/v1/users/${alice.uid}`;
  const move = (kind: string, body: object) =>
    exchange.operator.call("POST", `${path}/${kind}`, body);
  await move("deposits", { id: "btc", account: "spot", asset: "BTC", amount: "0.125" });
  await move("withdrawals", { id: "usdt", account: "spot", asset: "USDT", amount: "321.5" });
  await depositContract(exchange, alice.uid, "12.25");
}

/** One side of a fill. */
export interface Fill {
  readonly uid: number;
  readonly productType: "SPOT" | "FUTURES";
  readonly symbol: string;
  readonly price: string;
  readonly quote: string;
  readonly fee: string;
  readonly feeCoin: string;
  readonly maker: boolean;
  readonly time: number;
}

interface FillRow {
  readonly symbol: string;
  readonly price: string;
  readonly quoteQty: string;
  readonly commission: string;
  readonly commissionAsset: string;
  readonly maker: boolean;
  readonly time: number;
}

/** As the trader's own histories tell them. */
export async function fillsOf({ uid, client }: Account): Promise<readonly Fill[]> {
  const spot = await client.v3<FillRow[]>("/api/v3/myTrades", { symbol: "BTCUSDT" });
  const contract = await client.v3<FillRow[]>("/capi/v3/userTrades");
  const toFill = (row: FillRow, productType: Fill["productType"]): Fill => ({
    uid,
    productType,
    symbol: row.symbol,
    price: row.price,
    quote: row.quoteQty,
    fee: row.commission,
    feeCoin: row.commissionAsset,
    maker: row.maker,
    time: row.time,
  });
  return [
    ...spot.map((row) => toFill(row, "SPOT")),
    ...contract.map((row) => toFill(row, "FUTURES")),
  ];
}
