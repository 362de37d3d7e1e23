/** Routes that Rialto adds to the specified API. */

import { contractAmendOrderRoute, v2AmendOrderRoute, v3AmendOrderRoute } from "./amend-order.ts";
import { apiKeysRoute, createApiKeyRoute, revokeApiKeyRoute } from "./api-keys.ts";
import {
  contractCancelAllAfterRoute,
  contractCountdownsRoute,
  v3CancelAllAfterRoute,
  v3CountdownsRoute,
} from "./dead-man-switch.ts";
import { v3FaucetRoute } from "./faucet.ts";
import { contractTestOrderRoute, v2TestOrderRoute, v3TestOrderRoute } from "./order-test.ts";
import {
  addWithdrawalAddressRoute,
  cancelWithdrawalRoute,
  depositsRoute,
  removeWithdrawalAddressRoute,
  withdrawalAddressesRoute,
  withdrawalRoute,
  withdrawalsRoute,
  withdrawRoute,
} from "./withdrawals.ts";

export const ADDITION_ROUTES = [
  v3TestOrderRoute,
  contractTestOrderRoute,
  v2TestOrderRoute,
  v3AmendOrderRoute,
  contractAmendOrderRoute,
  v2AmendOrderRoute,
  v3CancelAllAfterRoute,
  v3CountdownsRoute,
  contractCancelAllAfterRoute,
  contractCountdownsRoute,
  v3FaucetRoute,
  withdrawRoute,
  withdrawalRoute,
  cancelWithdrawalRoute,
  withdrawalsRoute,
  depositsRoute,
  withdrawalAddressesRoute,
  addWithdrawalAddressRoute,
  removeWithdrawalAddressRoute,
  apiKeysRoute,
  createApiKeyRoute,
  revokeApiKeyRoute,
] as const;
