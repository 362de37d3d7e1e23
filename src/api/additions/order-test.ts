/** Routes that tell whether an order would be accepted. */
import Type from "typebox";
import {
  placeOrderRoute as contractPlaceOrderRoute,
  NEW_ORDER as NEW_CONTRACT_ORDER,
} from "../contract/trade.ts";
import { route } from "../route.ts";
import { SYMBOL } from "../v2/fields.ts";
import { NEW_ORDER as NEW_V2_ORDER, placeOrderRoute as v2PlaceOrderRoute } from "../v2/trade.ts";
import { NEW_ORDER as NEW_V3_ORDER, placeOrderRoute as v3PlaceOrderRoute } from "../v3/trade.ts";
import { ADDITIONS_TAG, TEST_DESCRIPTION, WOULD_BE_ACCEPTED } from "./fields.ts";

const TEST = {
  tag: ADDITIONS_TAG,
  summary: "Test an order",
  description: TEST_DESCRIPTION,
  answer: WOULD_BE_ACCEPTED,
} as const;

export const v3TestOrderRoute = route({
  ...TEST,
  id: "v3-test-order",
  family: "v3",
  method: "POST",
  path: "/api/v3/order/test",
  access: v3PlaceOrderRoute.access,
  limit: v3PlaceOrderRoute.limit,
  body: NEW_V3_ORDER,
});

export const contractTestOrderRoute = route({
  ...TEST,
  id: "contract-test-order",
  family: "capi",
  method: "POST",
  path: "/capi/v3/order/test",
  access: contractPlaceOrderRoute.access,
  limit: contractPlaceOrderRoute.limit,
  body: NEW_CONTRACT_ORDER,
});

export const v2TestOrderRoute = route({
  ...TEST,
  id: "v2-test-order",
  family: "v2",
  method: "POST",
  path: "/api/v2/trade/orders/test",
  access: v2PlaceOrderRoute.access,
  limit: v2PlaceOrderRoute.limit,
  body: Type.Object({ symbol: SYMBOL, ...NEW_V2_ORDER.properties }),
});
