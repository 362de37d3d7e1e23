/** Routes that test whether an order would be accepted. */
import Type from "typebox";
import { NEW_ORDER as NEW_CONTRACT_ORDER } from "../contract/trade.ts";
import { route } from "../route.ts";
import { SYMBOL } from "../v2/fields.ts";
import { NEW_ORDER as NEW_V2_ORDER } from "../v2/trade.ts";
import { NEW_ORDER as NEW_V3_ORDER } from "../v3/trade.ts";
import { ADDITIONS_TAG, TEST_DESCRIPTION, WOULD_BE_ACCEPTED } from "./fields.ts";

const TEST = {
  tag: ADDITIONS_TAG,
  summary: "Test an order",
  description: TEST_DESCRIPTION,
  answer: WOULD_BE_ACCEPTED,
} as const;

export const v3TestOrderRoute = route("v3-test-order", {
  ...TEST,
  body: NEW_V3_ORDER,
});

export const contractTestOrderRoute = route("contract-test-order", {
  ...TEST,
  body: NEW_CONTRACT_ORDER,
});

export const v2TestOrderRoute = route("v2-test-order", {
  ...TEST,
  body: Type.Object({ symbol: SYMBOL, ...NEW_V2_ORDER.properties }),
});
