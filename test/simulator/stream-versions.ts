/**
 * Both versions of the streams: how a client subscribes, and its messages in version 3's words, so
 * that whoever listens checks them alike.
 */
import type { Product, Row } from "../support/account-histories.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import { hold } from "./breach.ts";
import { isRefusedAsBusy } from "./busy.ts";
import type { SimulatedSocket } from "./socket.ts";

export type StreamVersion = "v2" | "v3";

const FAMILY: Readonly<Record<Product, string>> = { spot: "", contract: "/contract" };

export function streamPath(version: StreamVersion, product: Product, kind: string): string {
  return `${FAMILY[product]}/${version}/ws/${kind}`;
}

/** Who was confirmed a name, ahead of whatever is told behind that. */
type Heard = (name: string) => void;

/** By the names of version 3. */
export function subscribe(
  socket: SimulatedSocket,
  version: StreamVersion,
  product: Product,
  names: readonly string[],
  heard?: Heard,
): Promise<void> {
  return operate(socket, "subscribe", version, product, names, heard);
}

export function unsubscribe(
  socket: SimulatedSocket,
  version: StreamVersion,
  product: Product,
  names: readonly string[],
  heard: Heard,
): Promise<void> {
  return operate(socket, "unsubscribe", version, product, names, heard);
}

async function operate(
  socket: SimulatedSocket,
  event: "subscribe" | "unsubscribe",
  version: StreamVersion,
  product: Product,
  names: readonly string[],
  heard: Heard = () => undefined,
): Promise<void> {
  if (version === "v3") {
    const method = event.toUpperCase();
    const ask = () =>
      socket.ask({ method, params: names }, (said) => {
        if (said?.result === true) for (const name of names) heard(name);
      });
    const answer = await untilTaken(ask);
    const isDone = answer === null || answer.result === true;
    return hold(isDone, "streams", () => `${method} ${names}: ${JSON.stringify(answer)}`);
  }
  for (const name of names) {
    const channel = nameInV2(product, name);
    const ask = () =>
      socket.askChannel(channel, event, (said) => {
        if (said?.event === `${event}d`) heard(name);
      });
    const answer = await untilTaken(ask);
    const isDone = answer === null || answer.event === `${event}d`;
    hold(isDone, "streams", () => `${event} ${channel}: ${JSON.stringify(answer)}`);
  }
}

/** Asks again while it is refused because the exchange is busy, which opens nothing. */
async function untilTaken(ask: () => Promise<StreamMessage | null>): Promise<StreamMessage | null> {
  let answer = await ask();
  while (answer !== null && isRefusedAsBusy(answer)) answer = await ask();
  return answer;
}

const PUBLIC = /^(\w+)@(depth|trade|ticker|kline)(?:_?(\d+\w*?))?(?:_(LAST_PRICE|MARK_PRICE))?$/;

/** `BTCUSDT@depth15` → `depth.BTCUSDT_SPBL.15`; private channels are called the same. */
function nameInV2(product: Product, name: string): string {
  const [, market = "", kind, detail = "", price = "LAST_PRICE"] = PUBLIC.exec(name) ?? [];
  const symbol = product === "spot" ? `${market}_SPBL` : `cmt_${market.toLowerCase()}`;
  if (kind === "depth") return `depth.${symbol}.${detail}`;
  if (kind === "trade") return `trades.${symbol}`;
  if (kind === "ticker") return `ticker.${symbol}`;
  return kind === "kline" ? `kline.${price}.${symbol}.${detail}` : name;
}

interface V2Level {
  readonly price: string;
  readonly size: string;
}

/** Null for one that is no update. */
export function inWordsOfV3(
  version: StreamVersion,
  product: Product,
  message: StreamMessage,
): StreamMessage | null {
  if (version === "v3") return message;
  if (message.event !== "payload") return null;
  const channel = String(message.channel);
  if (message.type === "trade-event") return accountMessage(product, channel, message);
  const entries = message.data as readonly Row[];
  const [kind = "", price] = channel.split(".");
  if (kind === "depth") return depthMessage(entries[0] ?? {});
  if (kind === "ticker") return { e: "ticker", d: entries.map(tickerEntry) };
  if (kind === "trades") return { e: "trade", d: entries.map(tradeEntry) };
  return kind === "kline" ? { e: "kline", p: price, d: entries.map(klineEntry) } : null;
}

function tradeEntry({ buyerMaker: m, price: p, size: q, time, tradeId: t, value: v }: Row): Row {
  return { T: Number(time), t, p, q, v, m };
}

function tickerEntry(row: Row): Row {
  const { close, endTime, high, highTime, lastPrice, low, lowTime, open, priceChange } = row;
  return {
    ...{ p: priceChange, P: row.priceChangePercent, c: lastPrice, o: open, h: high, l: low },
    ...{ v: row.size, q: row.value, n: Number(row.trades) },
    ...{ O: Number(row.startTime), C: Number(endTime) },
    ...{ close, highTime: Number(highTime), lowTime: Number(lowTime) },
  };
}

function klineEntry({ close: c, high: h, klineTime, low: l, open: o, size: v, value: q }: Row) {
  return { t: Number(klineTime), o, c, h, l, v, q };
}

function depthMessage({ asks, bids, depthType, endVersion, level, startVersion }: Row) {
  const levels = (rows: unknown) =>
    (rows as readonly V2Level[]).map(({ price, size }) => [price, size]);
  return {
    e: depthType === "SNAPSHOT" ? "depthSnapshot" : "depth",
    d: depthType,
    l: level,
    U: Number(startVersion),
    u: Number(endVersion),
    b: levels(bids),
    a: levels(asks),
  };
}

const LISTS: Readonly<Record<string, string>> = {
  account: "collateral",
  orders: "order",
  fill: "orderFillTransaction",
  positions: "position",
};

function accountMessage(product: Product, channel: string, { msg }: StreamMessage) {
  const { data, msgEvent, time, version } = msg as Readonly<Record<string, unknown>>;
  const rows = (data as Record<string, readonly Row[]>)[LISTS[channel] ?? ""] ?? [];
  return { e: channel, E: time, msgEvent, v: version, d: rows.map((row) => rowOf(product, row)) };
}

const FORCES: Readonly<Record<string, string>> = {
  GOOD_TIL_CANCEL: "GTC",
  IMMEDIATE_OR_CANCEL: "IOC",
  FILL_OR_KILL: "FOK",
};

/** Everything that version 2 spells differently, put back. */
function rowOf(product: Product, row: Row): Row {
  const { coinId, coinName, contractId, crossContractId: _, symbol, ...rest } = row;
  const said: Record<string, unknown> = { ...rest };
  if (coinId !== undefined) said.coin = product === "spot" ? coinName : coinId;
  if (contractId !== undefined) said.symbol = String(contractId).replace(/^cmt_/, "").toUpperCase();
  if (symbol !== undefined) said.symbol = String(symbol).replace(/_SPBL$/, "");
  if (said.marginMode === "SHARED") said.marginMode = "CROSSED";
  const force = FORCES[String(said.timeInForce)];
  if (force !== undefined) said.timeInForce = force;
  return said;
}
