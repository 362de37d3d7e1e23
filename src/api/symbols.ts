/**
 * Names of markets and assets on the wire. Internally a market is always `BTCUSDT`; the v2 family
 * also accepts `BTCUSDT_SPBL`, on contracts `cmt_btcusdt`, all in any case, and the contract demo
 * account uses `BTCSUSDT`.
 */

const V2_SYMBOL = /^([A-Za-z0-9]{1,32})(?:_spbl)?$/i;
const V2_SUFFIX = "_SPBL";

/** The market of a v2 name; null when the text cannot name one. */
export function symbolFromV2(text: string): string | null {
  const name = V2_SYMBOL.exec(text)?.[1];
  return name === undefined ? null : name.toUpperCase();
}

/** The name of a market in a v2 answer when the caller did not spell one. */
export function symbolToV2(symbol: string): string {
  return symbol + V2_SUFFIX;
}

const V2_CONTRACT = /^(?:cmt_)?([A-Za-z0-9]{1,32})$/i;
const V2_CONTRACT_PREFIX = "cmt_";

/** The contract of a v2 name; null when the text cannot name one. */
export function contractFromV2(text: string): string | null {
  const name = V2_CONTRACT.exec(text)?.[1];
  return name === undefined ? null : name.toUpperCase();
}

/** The v2 name of a contract when the caller did not spell one. */
export function contractToV2(symbol: string): string {
  return V2_CONTRACT_PREFIX + symbol.toLowerCase();
}

const LIVE_ASSET = "USDT";
const DEMO_ASSET = "SUSDT";

/** The market of a demo account's name; other names stay as they are. */
export function symbolFromDemo(text: string): string {
  return text.endsWith(DEMO_ASSET) ? text.slice(0, -DEMO_ASSET.length) + LIVE_ASSET : text;
}

export function symbolToDemo(symbol: string): string {
  return symbol.endsWith(LIVE_ASSET) ? symbol.slice(0, -LIVE_ASSET.length) + DEMO_ASSET : symbol;
}

export function assetToDemo(asset: string): string {
  return asset === LIVE_ASSET ? DEMO_ASSET : asset;
}
