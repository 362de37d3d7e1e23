/** The route of the sandbox's faucet. */
import Type from "typebox";
import { CLIENT_ORDER_ID_PATTERN } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { route } from "../route.ts";
import { WALLET_TYPES } from "../v3/account.ts";
import { decimal, decimalInput } from "../v3/fields.ts";
import { ADDITIONS_TAG } from "./fields.ts";

export const v3FaucetRoute = route("v3-faucet", {
  tag: ADDITIONS_TAG,
  summary: "Give the caller test funds",
  description:
    "Only in a sandbox; any other exchange refuses it. Credits one of the caller's own " +
    "wallets, of any listed asset. Idempotent by clientFaucetId: the same id with the same " +
    "content returns the first credit, with other content it is rejected. It is an ordinary " +
    "deposit: bills, streams and histories show it.",
  sandboxOnly: true,
  body: Type.Object({
    clientFaucetId: Type.String({
      pattern: CLIENT_ORDER_ID_PATTERN,
      description: "1 to 40 of A-Z a-z 0-9 . _ : / # -",
    }),
    coinName: Type.String({
      maxLength: 40,
      description: "Asset, exactly as listed",
      "x-refusal": "unknown-asset",
    }),
    amount: decimalInput("Decimal text"),
    toType: Type.Optional(
      withDefault(Type.Enum(WALLET_TYPES, { description: "Wallet that is credited" }), "SPOT"),
    ),
  }),
  answer: Type.Object({
    clientFaucetId: Type.String({ description: "The caller's own id" }),
    coinName: Type.String({ description: "Asset" }),
    amount: decimal("Amount"),
    toType: Type.Enum(WALLET_TYPES, { description: "Wallet that was credited" }),
    balance: decimal("Available balance of this wallet after the credit"),
  }),
});
