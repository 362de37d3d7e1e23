/** What the calls of a tag have in common, for the head of their section of the reference. */
import { ROUTES } from "../routes.ts";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "Spot v3: market data": "Listed assets and markets, prices and trades. No key needed.",
  "Spot v3: account": "The spot wallet, its history, and transfers to the contract wallet.",
  "Spot v3: trading": "The caller's orders and fills.",
  "Spot v2: market data": "The same markets in the format of older clients. No key needed.",
  "Spot v2: account": "The spot wallet and its history, in the format of older clients.",
  "Spot v2: trading":
    "The same orders in the format of older clients. Here the quantity of a market buy " +
    "is the quote amount to spend. New programs should use version 3, which can do " +
    "everything this version can.",
  "Contract v3: market data": "Listed contracts, prices and funding. No key needed.",
  "Contract v3: account": "The contract wallet, market settings and positions.",
  "Contract v3: trading": "The caller's orders and fills, and closing positions.",
  "Contract v3: conditional orders":
    "Orders that wait for a trigger price, including take-profit and stop-loss.",
  "Contract v3: demo account":
    "Calls that clients use in their sandbox mode: the same contract account under other " +
    "names.",
  "Affiliate: reports":
    "Activity of invitees and sub-affiliates, and the commissions earned on it.",
  "Affiliate: internal withdrawals": "Payments to invitees and sub-affiliates.",
  "Affiliate: explanations and statements":
    "Additions to the specification: where a commission comes from, and statements that " +
    "anyone can verify.",
  "Rialto additions":
    "Calls beyond the specification: test an order, amend an order, and cancel all " +
    "orders when a client goes silent.",
  "Deposits and withdrawals":
    "Calls beyond the specification: withdraw to an address of one's own book, and follow " +
    "withdrawals and deposits. Writing needs the permission withdraw.",
};

/** Every tag in the order of its first call. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  ...new Set(ROUTES.map(({ tag }) => tag)),
].map((name) => ({ name, description: DESCRIPTIONS[name] ?? "" }));
