/**
 * GET /capi/v3/account/position/allPosition and singlePosition: the caller's open positions. The
 * engine names what it knows of a position as the interface does.
 */
import { allPositionsRoute, singlePositionRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const allPositionsEndpoint = endpoint(allPositionsRoute, async ({ caller }, { engine }) => {
  const { uid } = caller;
  const open = await engine.ask({ type: "contract-positions", uid, symbol: null });
  return open.ok ? accept([...open.value]) : open;
});

export const singlePositionEndpoint = endpoint(
  singlePositionRoute,
  async ({ caller, query }, { engine }) => {
    const { uid } = caller;
    const open = await engine.ask({ type: "contract-positions", uid, symbol: query.symbol });
    return open.ok ? accept([...open.value]) : open;
  },
);
