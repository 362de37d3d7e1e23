/** GET /api/v2/public/time */
import { serverTimeRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const serverTime = endpoint(serverTimeRoute, async (_request, { engine }) => {
  const status = await engine.ask({ type: "status" });
  return status.ok ? accept(status.timestampMs) : status;
});
