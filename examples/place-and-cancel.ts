/** Places a limit order below the market, queries it, and cancels it. */
import { RialtoClient, RialtoError } from "rialto/client";

const client = new RialtoClient({
  baseUrl: process.env.RIALTO_URL ?? "http://127.0.0.1:8080",
  credentials: {
    apiKey: process.env.RIALTO_KEY ?? "",
    secret: process.env.RIALTO_SECRET ?? "",
    passphrase: process.env.RIALTO_PASSPHRASE ?? "",
  },
});

const symbol = process.argv[2] ?? "BTCUSDT";
const [market] = (await client.spot.exchangeInfo({ symbol })).symbols;
const { bids } = await client.spot.depth({ symbol });
const [best] = bids;
if (market === undefined || best === undefined) throw new Error(`no bids for ${symbol}`);

// Prices are strings on the market's tick. One percent below the best bid, the order rests.
const tick = Number(market.tickSize);
const price = onGrid(Math.floor((Number(best[0]) * 0.99) / tick), market.tickSize);
// The minimum order: by quantity, and by notional.
const step = Number(market.stepSize);
const least = Math.max(Number(market.minTradeAmount), Number(market.minNotional) / Number(price));
const quantity = onGrid(Math.ceil(least / step), market.stepSize);
try {
  const placed = await client.spot.placeOrder({
    symbol,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "POST_ONLY",
    quantity,
    price,
  });
  const order = await client.spot.order({ orderId: placed.orderId });
  console.log(`order ${order.orderId}: ${order.status}, ${order.origQty} at ${order.price}`);
  const cancelled = await client.spot.cancelOrder({ orderId: placed.orderId });
  console.log(`order ${cancelled.orderId}: ${cancelled.status}`);
} catch (error) {
  if (!(error instanceof RialtoError)) throw error;
  console.error(`rejected with ${error.code}: ${error.message}`);
  process.exitCode = 1;
}

/** A number of ticks or steps as a decimal string with the grid's precision. */
function onGrid(count: number, grid: string): string {
  return (count * Number(grid)).toFixed(grid.split(".")[1]?.length ?? 0);
}
