/** One commission: its origin and status, and its release or reversal. */
import type { ReactElement, ReactNode } from "react";
import type { GetCommissionAnswer } from "../../../client/index.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

export interface CommissionDialogProps {
  readonly commissionId: number;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

export function CommissionDialog(props: CommissionDialogProps): ReactElement {
  const { commissionId, onClose, onChange } = props;
  const { client } = useOperator();
  const query = useQuery(`commission ${commissionId}`, (signal) =>
    client.getCommission({ commissionId }, { signal }),
  );
  const reverse = async (reason: string): Promise<string> => {
    const { reversalId } = await client.reverseCommission({ commissionId, reason });
    return `Commission ${commissionId} reversed by entry ${reversalId}`;
  };
  const release = async (reason: string): Promise<string> => {
    await client.releaseCommission({ commissionId, reason });
    return `Commission ${commissionId} released`;
  };
  const onDone = (): void => {
    query.refresh();
    onChange();
  };
  return (
    <Dialog title={`Commission ${commissionId}`} open onClose={onClose}>
      <QueryView what={`commission ${commissionId}`} query={query}>
        {(commission) => (
          <div className={layout.form}>
            <Facts commission={commission} />
            <div className={layout.ends}>
              {commission.status === "held" ? (
                <ConfirmButton
                  asksReason
                  title={`Release commission ${commissionId}`}
                  consequence="It will be paid in the next settlement."
                  confirm="Release"
                  act={release}
                  onDone={onDone}
                >
                  Release
                </ConfirmButton>
              ) : null}
              {commission.status === "reversed" || commission.status === "reversal" ? null : (
                <ConfirmButton
                  asksReason
                  tone="danger"
                  title={`Reverse commission ${commissionId}`}
                  consequence={reversalText(commission)}
                  confirm="Reverse"
                  act={reverse}
                  onDone={onDone}
                >
                  Reverse
                </ConfirmButton>
              )}
            </div>
          </div>
        )}
      </QueryView>
    </Dialog>
  );
}

function reversalText({ amount, asset, affiliateUid }: GetCommissionAnswer): string {
  return (
    `${groupDecimal(amount)} ${asset} is taken back from affiliate ${affiliateUid}: first from ` +
    "pending commissions, then from the spot wallet. Any remainder is deducted from later " +
    "settlements. This cannot be undone."
  );
}

function Facts({ commission }: { readonly commission: GetCommissionAnswer }): ReactElement {
  return (
    <Figures label="Commission" shape="rows">
      {factsOf(commission).map(([name, value]) => (
        <Figure key={name} name={name}>
          {value}
        </Figure>
      ))}
    </Figures>
  );
}

function factsOf(commission: GetCommissionAnswer): (readonly [string, ReactNode])[] {
  const { asset, fill, settlement, release, reversal, viaUid, flags } = commission;
  const amount = (text: string): string => `${groupDecimal(text)} ${asset}`;
  const facts: (readonly [string, ReactNode])[] = [
    ["Status", commission.status],
    ["Affiliate", commission.affiliateUid],
    ["Trader", commission.traderUid],
    ["Market", `${commission.symbol}, ${commission.product}`],
    ["Exchange time", utcTime(commission.time)],
    ["Fee", amount(commission.fee)],
    ["Rate", commission.rate],
    ["Before cap", amount(commission.gross)],
    ["Above the cap", amount(commission.capped)],
    ["Amount", amount(commission.amount)],
  ];
  if (viaUid !== null) facts.push(["Via affiliate", viaUid]);
  if (flags.length > 0) facts.push(["Held for", flags.join(", ")]);
  if (fill !== null) {
    const { tradeId, role, price, quantity } = fill;
    facts.push(["Trade", `${tradeId}, as ${role}: ${quantity} at ${groupDecimal(price)}`]);
  }
  if (release !== null) facts.push(["Released", `${release.actor}: ${release.reason}`]);
  if (settlement !== null) {
    facts.push(["Settled", `${settlement.settlementId}, ${utcTime(settlement.time)}`]);
  }
  if (reversal !== null) facts.push(["Reversed", `${reversal.actor}: ${reversal.reason}`]);
  return facts;
}
