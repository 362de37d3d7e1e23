/** POST /api/v3/account/transfer: the caller moves own funds between the two wallets. */
import { refuse } from "../../api/errors.ts";
import { transferRoute } from "../../api/v3/account.ts";
import { accept, formatDecimal, invariant, parseDecimal, SCALE_MAX } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";

const WALLETS = { SPOT: "spot", CONTRACT: "contract" } as const;
const WIRE_NAMES = {
  id: "clientTransferId",
  from: "fromType",
  to: "toType",
  asset: "coinName",
};

export const transferEndpoint = endpoint(transferRoute, async ({ caller, body }, { engine }) => {
  const { clientTransferId, fromType, toType, coinName, amount } = body;
  if (fromType === toType) {
    return refuse("parameter-out-of-range", "toType", "another wallet than fromType");
  }
  const moved = await engine.execute({
    type: "transfer-own-funds",
    requestId: clientTransferId,
    uid: caller.uid,
    from: WALLETS[fromType],
    to: WALLETS[toType],
    asset: coinName,
    amount,
  });
  if (!moved.ok) return withWireNames(moved, WIRE_NAMES);
  return accept({
    clientTransferId,
    status: "Successful" as const,
    coinName,
    amount: plainDecimal(amount),
    fromType,
    toType,
    balance: moved.value.balance,
  });
});

/** Without the zeros at its end; no asset has more decimals than text can carry. */
function plainDecimal(text: string): string {
  const units = parseDecimal(text, SCALE_MAX);
  invariant(typeof units === "bigint", "the schema lets only decimals in");
  return formatDecimal(units, SCALE_MAX);
}
