/** The pages that every header leads to; the reference has the same ones. */

export const HEADER_LINKS = [
  { path: "/", begins: "/", text: "Start" },
  { path: "/trade/spot/BTCUSDT", begins: "/trade/spot", text: "Spot" },
  { path: "/trade/contract/BTCUSDT", begins: "/trade/contract", text: "Contracts" },
  { path: "/account", begins: "/account", text: "Account" },
  { path: "/affiliate", begins: "/affiliate", text: "Affiliate" },
] as const;
