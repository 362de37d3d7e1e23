/** The WebSocket channels of version 3, for their pages: what each sends, and how to follow it. */
import type { SampledChannel } from "./samples.ts";

export interface DocumentedChannel extends SampledChannel {
  /** Unique in its page. */
  readonly id: string;
  /** With its symbol in capitals in place of a market. */
  readonly shown: string;
  readonly text: string;
}

export interface ChannelPage {
  readonly slug: string;
  readonly title: string;
  readonly intro: string;
  readonly channels: readonly DocumentedChannel[];
}

const SHARED: readonly (readonly [name: string, text: string])[] = [
  [
    "ticker",
    "The last 24 hours: last, highest and lowest price, volumes, and the change. " +
      "At once, then at most every 100 ms after a change.",
  ],
  [
    "depth15",
    "The best 15 price levels of each side: a snapshot, then changes. How they join: " +
      "[maintaining a local book](/docs/streams#maintaining-a-local-book).",
  ],
  ["depth200", "The best 200 price levels of each side: a snapshot, then changes."],
  ["trade", "Every trade after the subscription, up to 500 in a message."],
  [
    "kline_1m_LAST_PRICE",
    "The last two candles, at most every 300 ms. Intervals: " +
      "1m 5m 15m 30m 1h 2h 4h 6h 8h 12h 1d 1w 1M.",
  ],
];

const SPOT_ONLY: readonly (readonly [string, string])[] = [
  ["bookTicker", "Best bid and ask with their sizes, at most every 100 ms after a change."],
];
const CONTRACT_ONLY: readonly (readonly [string, string])[] = [
  ["kline_1m_MARK_PRICE", "Candles of the mark price."],
];
const SANDBOX: readonly (readonly [string, string])[] = [
  [
    "depth",
    "Every change of the book, by price: one message for each command. " +
      "See [every change of a book](/docs/book-streams).",
  ],
  ["orders", "Every change of the book, order by order. In a [sandbox](/docs/sandbox) only."],
];

const ACCOUNT: readonly (readonly [string, string])[] = [
  ["account", "The balances that a command changed."],
  ["orders", "Each order that a command changed, once, in its resulting state."],
  ["fill", "The account's side or sides of each match."],
];
const SPOT_ACCOUNT: readonly (readonly [string, string])[] = [
  ["withdrawals", "Each withdrawal that was requested or came to another status."],
  ["deposits", "Each deposit that was seen, confirmed, credited or dropped."],
];
const CONTRACT_ACCOUNT: readonly (readonly [string, string])[] = [
  ["positions", "The positions that a command changed; a closed one once more with size 0."],
];

type Rows = readonly (readonly [name: string, text: string])[];

function publicPage(product: string, prefix: string, slug: string, rows: Rows): ChannelPage {
  const path = `${prefix}/v3/ws/public`;
  return {
    slug,
    title: `${product} market data`,
    intro:
      `Connect to \`${path}\`; no key is needed. ` +
      "[Streams](/docs/streams) has the rules for all channels.",
    channels: rows.map(([name, text]) => ({
      id: name.toLowerCase().replaceAll("_", "-"),
      path,
      name: `BTCUSDT@${name}`,
      shown: `SYMBOL@${name}`,
      text,
      isSigned: false,
    })),
  };
}

function accountPage(product: string, prefix: string, slug: string, rows: Rows): ChannelPage {
  const path = `${prefix}/v3/ws/private`;
  return {
    slug,
    title: `${product} account`,
    intro:
      `Connect to \`${path}\` with a signed [handshake](/docs/streams#handshake). ` +
      "The key needs `read`, or the permission of the product.",
    channels: rows.map(([name, text]) => ({
      id: name,
      path,
      name,
      shown: name,
      text,
      isSigned: true,
    })),
  };
}

export const CHANNEL_PAGES: readonly ChannelPage[] = [
  publicPage("Spot", "", "channels-spot-market-data", [...SHARED, ...SPOT_ONLY, ...SANDBOX]),
  publicPage("Contract", "/contract", "channels-contract-market-data", [
    ...SHARED,
    ...CONTRACT_ONLY,
    ...SANDBOX,
  ]),
  accountPage("Spot", "", "channels-spot-account", [...ACCOUNT, ...SPOT_ACCOUNT]),
  accountPage("Contract", "/contract", "channels-contract-account", [
    ...ACCOUNT,
    ...CONTRACT_ACCOUNT,
  ]),
];
