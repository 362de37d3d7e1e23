/** What the calls of a tag have in common, for the head of their part of the reference. */
import { ROUTES } from "../routes.ts";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "Spot v3: market data": "What is listed, and what its markets did. No key is needed.",
  "Spot v3: account": "The spot wallet, its history, and the way to the contract wallet.",
  "Spot v3: trading": "The caller's orders and fills.",
  "Spot v2: market data": "The same markets in the words of older clients. No key is needed.",
  "Spot v2: account": "The spot wallet and its history, in the words of older clients.",
  "Spot v2: trading":
    "The same orders in the words of older clients. A market buy spends a quote amount here. New " +
    "programs use version 3, which has everything that this one has.",
  "Contract v3: market data": "What is listed, prices, and funding. No key is needed.",
  "Contract v3: account": "The contract wallet, settings of markets, and positions.",
  "Contract v3: trading": "The caller's orders and fills, and the closing of positions.",
  "Contract v3: conditional orders": "Orders that wait for a price, also those of positions.",
  "Contract v3: demo account":
    "What clients call in their sandbox mode: the same contract account under other names.",
  "Affiliate: reports": "What invitees and affiliates below did, and what was earned by it.",
  "Affiliate: internal withdrawals": "Payments to invitees and affiliates below.",
  "Affiliate: explanations and statements":
    "Additions to the specification: where a commission comes from, and statements that anyone " +
    "can check.",
  "Rialto additions":
    "Calls that the specification does not have: testing an order, amending one in its place, " +
    "and cancelling everything when a client falls silent.",
};

/** Every tag in the order of its first call. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  ...new Set(ROUTES.map(({ tag }) => tag)),
].map((name) => ({ name, description: DESCRIPTIONS[name] ?? "" }));
