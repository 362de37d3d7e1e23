/** GET /capi/v3/account/accountConfig: what the caller's account may do. */
import { accountConfigRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const accountConfigEndpoint = endpoint(
  accountConfigRoute,
  async ({ caller }, { engine }) => {
    const user = await engine.ask({ type: "user", uid: caller.uid });
    if (!user.ok) return user;
    return accept({
      canTrade: user.value.state === "active",
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: true as const,
      updateTime: user.value.registeredMs,
    });
  },
);
