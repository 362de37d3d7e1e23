/**
 * GET /api/v3/time: exchange time, which is ahead of the wall clock in a sandbox that was advanced.
 */
import { serverTimeRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const serverTimeEndpoint = endpoint(serverTimeRoute, async (_request, { engine }) => {
  const status = await engine.ask({ type: "status" });
  return status.ok ? accept({ serverTime: status.timestampMs }) : status;
});
