/** Routes that change an open order in place. */
import Type from "typebox";
import { idInBody, OUTCOME } from "../contract/fields.ts";
import { route } from "../route.ts";
import {
  ANSWERED_SYMBOL,
  amount,
  CLIENT_ORDER_ID,
  ORDER_ID,
  optionalAmountInput,
  SYMBOL,
  textMs,
} from "../v2/fields.ts";
import {
  ADDITIONS_TAG,
  AMEND_DESCRIPTION,
  AMENDED_ORDER,
  NEW_TERMS,
  ORIG_CLIENT_ORDER_ID,
} from "./fields.ts";

const AMEND = {
  tag: ADDITIONS_TAG,
  summary: "Amend an open order",
  description: AMEND_DESCRIPTION,
} as const;

const ORDER_KEY_AND_TERMS = Type.Object({
  orderId: Type.Optional(idInBody("The order; decides when both ids are sent")),
  origClientOrderId: ORIG_CLIENT_ORDER_ID,
  ...NEW_TERMS,
});

export const v3AmendOrderRoute = route("v3-amend-order", {
  ...AMEND,
  body: ORDER_KEY_AND_TERMS,
  answer: Type.Object({
    orderId: Type.Integer({ description: "Unchanged by the amendment" }),
    ...AMENDED_ORDER,
  }),
});

export const contractAmendOrderRoute = route("contract-amend-order", {
  ...AMEND,
  body: ORDER_KEY_AND_TERMS,
  answer: Type.Object({
    orderId: Type.String({ description: "Unchanged by the amendment" }),
    ...AMENDED_ORDER,
    ...OUTCOME,
  }),
});

export const v2AmendOrderRoute = route("v2-amend-order", {
  ...AMEND,
  body: Type.Object({
    symbol: SYMBOL,
    orderId: Type.Optional(ORDER_ID),
    clientOrderId: Type.Optional(CLIENT_ORDER_ID),
    price: Type.Optional(optionalAmountInput("New price")),
    quantity: Type.Optional(optionalAmountInput("New quantity of the whole order")),
  }),
  answer: Type.Object({
    orderId: Type.String({ description: "Order id" }),
    clientOrderId: Type.String({ description: "Caller-chosen order id" }),
    symbol: ANSWERED_SYMBOL,
    price: amount("Price"),
    quantity: amount("Total quantity of the order"),
    fillQuantity: amount("Quantity filled"),
    status: Type.Union([Type.Literal("open"), Type.Literal("filled"), Type.Literal("canceled")], {
      description: "State after the amendment",
    }),
    keptPriority: AMENDED_ORDER.keptPriority,
    uTime: textMs("Last changed at"),
  }),
});
