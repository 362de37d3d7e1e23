/** Adds an affiliate, or changes its rates and, once, its parent. */
import { type ReactElement, useState } from "react";
import { Field } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";
import type { Affiliate } from "./all-affiliates.ts";

export interface AffiliateDialogProps {
  /** Null for a new one. */
  readonly affiliate: Affiliate | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function AffiliateDialog({
  affiliate,
  onClose,
  onDone,
}: AffiliateDialogProps): ReactElement {
  const { client } = useOperator();
  const [texts, setTexts] = useState({
    uid: String(affiliate?.uid ?? ""),
    spotRate: affiliate?.spotRate ?? "",
    futuresRate: affiliate?.futuresRate ?? "",
    parentUid: String(affiliate?.parentUid ?? ""),
  });
  const { uid, spotRate, futuresRate, parentUid } = texts;
  const save = async (): Promise<string> => {
    const parent = parentUid === "" ? {} : { parentUid: Number(parentUid) };
    await client.setAffiliate({ uid: Number(uid), spotRate, futuresRate, ...parent });
    return `Rates of affiliate ${uid} saved`;
  };
  const isNew = affiliate === null;
  const hasParent = affiliate !== null && affiliate.parentUid !== null;
  return (
    <MutationDialog
      title={isNew ? "Add affiliate" : `Affiliate ${affiliate.uid}`}
      submit={isNew ? "Add affiliate" : "Save"}
      disabled={uid === "" || spotRate === "" || futuresRate === ""}
      act={save}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => {
        const field = (name: keyof typeof texts, label: string, hint: string, isFixed = false) => (
          <Field
            label={label}
            value={texts[name]}
            hint={hint}
            disabled={isFixed}
            error={errorOf(name)}
            onText={(text) => setTexts({ ...texts, [name]: text.trim() })}
          />
        );
        return (
          <>
            <div className={layout.fields}>
              {field("uid", "User", "UID", !isNew)}
              {field("parentUid", "Parent", "Set once; cannot be changed", hasParent)}
              {field("spotRate", "Spot rate", "0.5 = half of the fee")}
              {field("futuresRate", "Contract rate", "0.5 = half of the fee")}
            </div>
            <p className={layout.dim}>
              New rates apply to fills from now on. Past commissions keep their rates.
            </p>
          </>
        );
      }}
    </MutationDialog>
  );
}
