/** Explains a commission step by step, down to the ledger. */
import type { ReactElement } from "react";
import type { CommissionExplanation } from "../../../client/index.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useAffiliateQuery } from "../affiliate-query.ts";
import { StatusCell } from "../reports/cells.tsx";
import styles from "./explanation-dialog.module.css";
import { ExplanationPicture } from "./explanation-picture.tsx";

export interface ExplanationDialogProps {
  /** Null while closed. */
  readonly commissionId: string | null;
  readonly onClose: () => void;
}

export function ExplanationDialog(props: ExplanationDialogProps): ReactElement {
  const { commissionId, onClose } = props;
  return (
    <Dialog
      title={`Commission ${commissionId ?? ""}`}
      open={commissionId !== null}
      onClose={onClose}
    >
      {commissionId === null ? null : <Explanation commissionId={commissionId} />}
    </Dialog>
  );
}

function Explanation({ commissionId }: { readonly commissionId: string }): ReactElement {
  const { client } = useSession();
  const query = useAffiliateQuery(`explain ${commissionId}`, (options) =>
    client.affiliate.explain({ commissionId }, options),
  );
  return (
    <QueryView what="the explanation" query={query}>
      {(explained) => <ExplanationParts explained={explained} />}
    </QueryView>
  );
}

function ExplanationParts(props: { readonly explained: CommissionExplanation }): ReactElement {
  const { explained } = props;
  const { commission, coin, status, uid, viaUid, productType, symbol } = explained;
  return (
    <div className={styles.explanation}>
      <Figures label="The commission" shape="line">
        <Figure name="Commission">
          {groupDecimal(commission)} {coin}
        </Figure>
        <Figure name="Status">
          <StatusCell status={status} />
        </Figure>
        <Figure name="Market">
          {symbol}, {productType === "SPOT" ? "spot" : "contract"}
        </Figure>
        <Figure name="Trader">
          {uid}
          {viaUid === null ? ", your invitee" : `, via sub-affiliate ${viaUid}`}
        </Figure>
      </Figures>
      <ExplanationPicture explained={explained} />
      <div className={styles.actions}>
        Full explanation as JSON
        <CopyButton text={JSON.stringify(explained, null, 2)} what="explanation as JSON" />
      </div>
    </div>
  );
}
