/**
 * Names of markets on the wire. A market is `BTCUSDT` everywhere inside; the v2 family also takes
 * `BTCUSDT_SPBL`, both in any case.
 */

const V2_SYMBOL = /^([A-Za-z0-9]{1,32})(?:_spbl)?$/i;

/** The market that a v2 caller means; null when the text cannot name one. */
export function symbolFromV2(text: string): string | null {
  const name = V2_SYMBOL.exec(text)?.[1];
  return name === undefined ? null : name.toUpperCase();
}
