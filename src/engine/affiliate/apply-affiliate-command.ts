/** One branch per command of the affiliate programme. */
import { unreachable } from "../../domain/index.ts";
import type { AffiliateCommand, CommandResult } from "../../protocol/index.ts";
import { setHouseAccount } from "../accounts/users.ts";
import type { Context } from "../state.ts";
import { withdrawInternally } from "./internal-withdrawal.ts";
import { setAffiliatePolicy } from "./policy.ts";
import { releaseCommission } from "./release.ts";
import { reverseCommission } from "./reversal.ts";
import { settleCommissions } from "./settlement.ts";
import { setAffiliate } from "./tree.ts";

export function applyAffiliateCommand(context: Context, command: AffiliateCommand): CommandResult {
  switch (command.type) {
    case "set-affiliate":
      return setAffiliate(context, command);
    case "set-affiliate-policy":
      return setAffiliatePolicy(context, command);
    case "set-house-account":
      return setHouseAccount(context, command);
    case "release-commission":
      return releaseCommission(context, command);
    case "reverse-commission":
      return reverseCommission(context, command);
    case "settle-commissions":
      return settleCommissions(context, command);
    case "withdraw-internally":
      return withdrawInternally(context, command);
    default:
      return unreachable(command);
  }
}
