/** Test funds for the caller; `ApiRoutes` refuses the call outside a sandbox. */
import { v3FaucetRoute } from "../../api/additions/faucet.ts";
import { accept } from "../../domain/index.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { plainDecimal } from "./plain-decimal.ts";
import { WALLETS_BY_TYPE } from "./wallet-history.ts";

const FAUCET_NAMES = { id: "clientFaucetId", asset: "coinName" };

/** Apart from the ids of deposits that the operator makes. */
const ID_PREFIX = "faucet:";

const faucet = endpoint(v3FaucetRoute, async ({ caller, body }, { engine }) => {
  const { clientFaucetId, coinName, amount, toType } = body;
  const credited = await engine.execute({
    type: "deposit-funds",
    actor: "faucet",
    requestId: ID_PREFIX + clientFaucetId,
    uid: caller.uid,
    wallet: WALLETS_BY_TYPE[toType],
    asset: coinName,
    amount,
  });
  if (!credited.ok) return withWireNames(credited, FAUCET_NAMES);
  const { balance } = credited.value;
  return accept({ clientFaucetId, coinName, amount: plainDecimal(amount), toType, balance });
});

export const FAUCET_ENDPOINTS: readonly Endpoint[] = [faucet];
