/** GET /capi/v3/market/time: exchange time. */
import { contractTimeRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const contractTimeEndpoint = endpoint(contractTimeRoute, async (_request, { engine }) => {
  const status = await engine.ask({ type: "status" });
  return status.ok ? accept({ serverTime: status.timestampMs }) : status;
});
