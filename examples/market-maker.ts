// A market maker: quotes both sides around the mid price, skews its quotes against its inventory,
// stays out of the market while its data is stale, and cancels its quotes on exit (Ctrl-C).
import {
  type LocalOrderBook,
  NetworkError,
  RialtoClient,
  RialtoError,
  type StreamLevel,
} from "rialto/client";

const symbol = process.env.SYMBOL ?? "BTCUSDT";
const quantity = process.env.QUANTITY ?? "0.01";
const HALF_SPREAD = 0.0005;
/** Skew per order size of inventory, so that inventory returns to zero. */
const SKEW = 0.0001;
/** Quotes this close to their target price stay where they are. */
const TOLERANCE = 0.0001;

const client = new RialtoClient({
  baseUrl: process.env.RIALTO_URL ?? "http://127.0.0.1:8080",
  credentials: {
    apiKey: process.env.RIALTO_KEY ?? "",
    secret: process.env.RIALTO_SECRET ?? "",
    passphrase: process.env.RIALTO_PASSPHRASE ?? "",
  },
});

type Side = "BUY" | "SELL";
interface Quote {
  readonly clientOrderId: string;
  readonly price: string;
  open: string;
}

const [rules] = (await client.spot.exchangeInfo({ symbol })).symbols;
if (rules === undefined) throw new Error(`no market ${symbol}`);
const decimals = rules.tickSize.split(".")[1]?.length ?? 0;
const quotes = new Map<Side, Quote>();
let inventory = 0;
let number = 0;
/** Whether `quotes` matches our open orders. If in doubt, we cancel everything. */
let isCertain = false;
const stopping = new AbortController();
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

/** The best price, ignoring our own quote. */
function bestOfOthers(side: Side, levels: readonly StreamLevel[]): number | null {
  const own = quotes.get(side);
  const level = levels.find(([price, size]) => price !== own?.price || size !== own.open);
  return level === undefined ? null : Number(level[0]);
}

async function place(side: Side, target: number): Promise<void> {
  const own = quotes.get(side);
  if (own !== undefined) {
    if (Math.abs(Number(own.price) - target) < target * TOLERANCE) return;
    await cancelAll();
  }
  const price = target.toFixed(decimals);
  // Remember it before sending: the first stream message may arrive before the response.
  const clientOrderId = `mm-${Date.now()}-${number++}`;
  quotes.set(side, { clientOrderId, price, open: quantity });
  const order = { symbol, side, type: "LIMIT", timeInForce: "POST_ONLY", quantity, price } as const;
  await client.spot.placeOrder({ ...order, newClientOrderId: clientOrderId });
}

async function quote(book: LocalOrderBook): Promise<void> {
  const bid = bestOfOthers("BUY", book.bids);
  const ask = bestOfOthers("SELL", book.asks);
  if (bid === null || ask === null) return;
  const mid = ((bid + ask) / 2) * (1 - (SKEW * inventory) / Number(quantity));
  await place("BUY", mid * (1 - HALF_SPREAD));
  await place("SELL", mid * (1 + HALF_SPREAD));
}

async function cancelAll(): Promise<void> {
  isCertain = false;
  quotes.clear();
  const open = await client.spot.openOrders({ symbol });
  if (open.length > 0) await client.spot.cancelOpenOrders({ symbol });
  isCertain = true;
}

function recover(error: unknown): void {
  if (!(error instanceof RialtoError || error instanceof NetworkError)) throw error;
  isCertain = false;
  console.error(error.message);
}

const market = client.streams.spot();
const account = client.streams.spotAccount();
// Missed events are not sent again, so start over.
account.onState(({ resumed }) => {
  if (resumed) isCertain = false;
});
account.orders().listen((order) => {
  const own = quotes.get(order.side);
  if (own?.clientOrderId !== order.clientOrderId) return;
  if (order.status !== "NEW") quotes.delete(order.side);
  else own.open = (Number(order.origQty) - Number(order.executedQty)).toString();
});
account.fills().listen((fill) => {
  if (fill.symbol !== symbol) return;
  inventory += fill.side === "BUY" ? Number(fill.qty) : -Number(fill.qty);
  console.log(`${fill.side} ${fill.qty} for ${fill.quoteQty}; inventory ${inventory.toFixed(8)}`);
});
const book = market.orderBook(symbol, 15);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());

while (!stopping.signal.aborted) {
  const isQuoting = isCertain && book.isLive && account.state.name === "live";
  await (isQuoting ? quote(book) : cancelAll()).catch(recover);
  await pause();
}
for (isCertain = false; !isCertain; await pause()) await cancelAll().catch(recover);
market.close();
account.close();
console.log("all quotes cancelled");
