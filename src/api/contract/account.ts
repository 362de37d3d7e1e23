/** Signed contract routes about a user's wallet, settings and positions. */
import Type from "typebox";
import { MARGIN_TYPES, POSITION_SIDES, SEPARATED_TYPES } from "../../domain/index.ts";
import { route } from "../route.ts";
import {
  count,
  decimal,
  decimalInput,
  END_TIME,
  START_TIME,
  SYMBOL,
  timeMs,
} from "../v3/fields.ts";
import { idInBody, SYMBOL_OPTIONAL, SYMBOL_REQUIRED, ACCOUNT_TAG as TAG } from "./fields.ts";

export const balanceRoute = route("contract-balance", {
  tag: TAG,
  summary: "The contract wallet, by margin asset",
  description: "One row for each asset that can be used as margin.",
  answer: Type.Array(
    Type.Object({
      asset: Type.String({ description: "Asset" }),
      balance: decimal("The wallet, without unrealised P&L"),
      availableBalance: decimal("Available for new orders and transfers"),
      frozen: decimal("Frozen for open orders"),
      unrealizePnl: decimal("Unrealised P&L of all positions at the mark price"),
    }),
  ),
});

export const accountConfigRoute = route("contract-account-config", {
  tag: TAG,
  summary: "What the account may do",
  description: "Settings for all contracts.",
  answer: Type.Object({
    canTrade: Type.Boolean({ description: "Orders are accepted; false for a frozen user" }),
    canDeposit: Type.Boolean({ description: "Deposits are accepted" }),
    canWithdraw: Type.Boolean({ description: "Withdrawals are accepted" }),
    dualSidePosition: Type.Literal(true, { description: "LONG and SHORT may be held at once" }),
    updateTime: timeMs("Registered at"),
  }),
});

const LEVERAGE_TEXT = "Integer as a string";
const SETTINGS = {
  symbol: Type.String({ description: "Trading pair" }),
  marginType: Type.Enum(MARGIN_TYPES, {
    description:
      "Whether positions share the wallet (CROSSED) or have margin of their own (ISOLATED)",
  }),
};
const LEVERAGES = {
  crossLeverage: Type.String({ description: LEVERAGE_TEXT }),
  isolatedLongLeverage: Type.String({ description: LEVERAGE_TEXT }),
  isolatedShortLeverage: Type.String({ description: LEVERAGE_TEXT }),
};

export const symbolConfigRoute = route("contract-symbol-config", {
  tag: TAG,
  summary: "Margin mode and leverages, of one market or all",
  description: "As set with marginType and leverage, or the market's defaults.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      ...SETTINGS,
      separatedType: Type.Enum(SEPARATED_TYPES, {
        description: "One position per side (COMBINED) or one per opening order (SEPARATED)",
      }),
      ...LEVERAGES,
    }),
  ),
});

export const commissionRateRoute = route("contract-commission-rate", {
  tag: TAG,
  summary: "The caller's fee rates in a market",
  description: "For new orders: the caller's own rates, or those of the market.",
  query: SYMBOL_REQUIRED,
  answer: Type.Object({
    symbol: Type.String({ description: "Trading pair" }),
    makerCommissionRate: decimal("A fraction"),
    takerCommissionRate: decimal("A fraction"),
  }),
});

const LEVERAGE_DIGITS_PATTERN = "^(0|[1-9][0-9]{0,8})$";
const LEVERAGE_INPUT_MAX = 999_999_999;

function leverageInput(description: string) {
  return Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 0, maximum: LEVERAGE_INPUT_MAX }),
        Type.String({ pattern: LEVERAGE_DIGITS_PATTERN }),
      ],
      {
        description: `${description}: a whole number, or its digits as text`,
        "x-refusal": "parameter-out-of-range",
        "x-empty-is-absent": true,
      },
    ),
  );
}

export const leverageRoute = route("contract-leverage", {
  tag: TAG,
  summary: "Change leverages of a market",
  description:
    "Send at least one of the three. Rejected while an opening order is open in the " +
    "market. The margin of an existing isolated position does not change.",
  body: Type.Object({
    symbol: SYMBOL,
    marginType: Type.Optional(
      Type.Enum(MARGIN_TYPES, {
        description: "If sent, it must be the present one",
        "x-empty-is-absent": true,
      }),
    ),
    crossLeverage: leverageInput("Of cross positions"),
    isolatedLongLeverage: leverageInput("Of isolated long positions"),
    isolatedShortLeverage: leverageInput("Of isolated short positions"),
  }),
  answer: Type.Object({ ...SETTINGS, ...LEVERAGES }),
});

/** Without a `msg`, which public clients would treat as an error. */
const DONE = Type.Object({
  code: Type.Literal("200", { description: "Success" }),
  requestTime: timeMs("Done at"),
});

export const marginTypeRoute = route("contract-margin-type", {
  tag: TAG,
  summary: "Change the margin mode of a market",
  description:
    "Rejected with an open order or a position in the market, unless the value stays the " +
    "same.",
  body: Type.Object({
    symbol: SYMBOL,
    marginType: Type.Enum(MARGIN_TYPES, {
      description:
        "Whether positions share the wallet (CROSSED) or have margin of their own (ISOLATED)",
    }),
    separatedType: Type.Optional(
      Type.Enum(SEPARATED_TYPES, {
        description: "Absent leaves it as it is",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: DONE,
});

export const positionMarginRoute = route("contract-position-margin", {
  tag: TAG,
  summary: "Add or remove margin of an isolated position",
  description:
    "Moves margin between the wallet and the position. At least the margin required by " +
    "the position's leverage must stay.",
  body: Type.Object({
    isolatedPositionId: idInBody("Position id"),
    amount: decimalInput("Decimal text, in the margin asset"),
    type: Type.Union(
      [Type.Integer({ minimum: 1, maximum: 2 }), Type.String({ pattern: "^[12]$" })],
      { description: "1 adds, 2 takes back" },
    ),
  }),
  answer: DONE,
});

export const autoAppendMarginRoute = route("contract-auto-append-margin", {
  tag: TAG,
  summary: "Whether an isolated position takes margin from the wallet before it is liquidated",
  description:
    "Off for every new position. If on, the position takes margin from the wallet before " +
    "it is liquidated.",
  body: Type.Object({
    positionId: idInBody("Position id"),
    autoAppendMargin: Type.Boolean({ description: "true switches it on, false off" }),
  }),
  answer: DONE,
});

const INCOME_TYPES = [
  "deposit",
  "withdraw",
  "transfer_in",
  "transfer_out",
  "margin_move_in",
  "margin_move_out",
  "position_open_long",
  "position_open_short",
  "position_close_long",
  "position_close_short",
  "position_funding",
  "start_liquidate",
  "order_fix_margin_amount",
  "finish_liquidate",
] as const;

export const incomeRoute = route("contract-income", {
  tag: TAG,
  summary: "Changes of the contract wallet, newest first",
  description:
    "One row per fill: realised P&L minus the fee. The time range covers at most 100 " +
    "days. Send the two values of nextKey to get the next page.",
  body: Type.Object({
    asset: Type.Optional(
      Type.String({
        maxLength: 40,
        description: "Only this margin asset",
        "x-refusal": "unknown-asset",
        "x-empty-is-absent": true,
      }),
    ),
    symbol: Type.Optional(
      Type.String({
        maxLength: 40,
        description: "Only this trading pair, exactly as listed",
        "x-refusal": "unknown-symbol",
        "x-empty-is-absent": true,
      }),
    ),
    incomeType: Type.Optional(
      Type.Enum(INCOME_TYPES, { description: "Only rows of this kind", "x-empty-is-absent": true }),
    ),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 100, "Rows at most", 20)),
    nextKeyId: Type.Optional(idInBody("Of the page before, together with nextKeyTime")),
    nextKeyTime: Type.Optional(START_TIME),
  }),
  answer: Type.Object({
    hasNextPage: Type.Boolean({ description: "More rows follow this page" }),
    nextKey: Type.Union(
      [
        Type.Object({
          nextKeyId: Type.Integer({ description: "Send it as nextKeyId" }),
          nextKeyTime: Type.Integer({ description: "Send it as nextKeyTime" }),
        }),
        Type.Null(),
      ],
      { description: "Where the next page begins; null on the last one" },
    ),
    items: Type.Array(
      Type.Object({
        billId: Type.Integer({ description: "Id of the row" }),
        asset: Type.String({ description: "Asset" }),
        symbol: Type.Union([Type.String(), Type.Null()], {
          description: "Trading pair; null if not related to one",
        }),
        income: decimal("Signed; the fee is included"),
        incomeType: Type.Enum(INCOME_TYPES, { description: "Type of the change" }),
        balance: decimal("The wallet after the change"),
        fillFee: decimal('Fee of a fill, otherwise "0"'),
        time: timeMs("Booked at"),
        transferReason: Type.String({
          description: "Always UNKNOWN_TRANSFER_REASON; see incomeType",
        }),
      }),
      { description: "Rows of this page" },
    ),
  }),
});

const POSITION = Type.Object({
  id: Type.Integer({ description: "Position id" }),
  asset: Type.String({ description: "Margin asset" }),
  symbol: Type.String({ description: "Trading pair" }),
  side: Type.Enum(POSITION_SIDES, { description: "LONG or SHORT" }),
  marginType: Type.Enum(MARGIN_TYPES, {
    description:
      "Whether positions share the wallet (CROSSED) or have margin of their own (ISOLATED)",
  }),
  separatedMode: Type.Enum(SEPARATED_TYPES, {
    description: "One position per side (COMBINED) or one per opening order (SEPARATED)",
  }),
  separatedOpenOrderId: Type.Integer({
    description: "The order that opened a separated position, otherwise 0",
  }),
  leverage: decimal("The current setting"),
  size: decimal("Quantity in the base asset"),
  openValue: decimal("Open value: entry price × quantity of the current size"),
  openFee: decimal("Opening fees of the current size"),
  fundingFee: decimal("Funding fees of the current size; positive if paid"),
  marginSize: decimal("Margin of the position"),
  isolatedMargin: decimal('Margin locked in an isolated position, otherwise "0"'),
  isAutoAppendIsolatedMargin: Type.Boolean({
    description: "Whether it takes margin from the wallet before it is liquidated",
  }),
  cumOpenSize: decimal("Total quantity ever opened"),
  cumOpenValue: decimal("Total value ever opened"),
  cumOpenFee: decimal("Total fees of these fills"),
  cumCloseSize: decimal("Total quantity ever closed"),
  cumCloseValue: decimal("Total value ever closed"),
  cumCloseFee: decimal("Total fees of these fills"),
  cumFundingFee: decimal("Total funding fees; positive if paid"),
  cumLiquidateFee: decimal("Total liquidation fees"),
  createdMatchSequenceId: Type.Integer({ description: "Sequence of the command that opened it" }),
  updatedMatchSequenceId: Type.Integer({
    description: "Sequence of the command that last changed it",
  }),
  createdTime: timeMs("Opened at"),
  updatedTime: timeMs("Last changed at"),
  unrealizePnl: decimal("Unrealised P&L at the mark price"),
  liquidatePrice: decimal('Mark price at which it is liquidated; "0" if there is none'),
});

export const allPositionsRoute = route("contract-all-positions", {
  tag: TAG,
  summary: "Open positions of all markets",
  description: "Positions of size 0 are not listed.",
  answer: Type.Array(POSITION),
});

export const singlePositionRoute = route("contract-single-position", {
  tag: TAG,
  summary: "Open positions of one market",
  description: "At most one per side, or in separated mode one per opening order.",
  query: SYMBOL_REQUIRED,
  answer: Type.Array(POSITION),
});

export const CONTRACT_ACCOUNT_ROUTES = [
  balanceRoute,
  accountConfigRoute,
  symbolConfigRoute,
  commissionRateRoute,
  leverageRoute,
  marginTypeRoute,
  positionMarginRoute,
  autoAppendMarginRoute,
  incomeRoute,
  allPositionsRoute,
  singlePositionRoute,
] as const;
