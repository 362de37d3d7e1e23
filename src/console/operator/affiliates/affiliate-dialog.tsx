/** Adds an affiliate, or changes its rates and, once, its parent. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import type { Affiliate } from "./all-affiliates.ts";

const FIELDS = ["uid", "spotRate", "futuresRate", "parentUid"];

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
  const { busy, error, run } = useMutation();
  const { uid, spotRate, futuresRate, parentUid } = texts;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const done = await run(async () => {
      const parent = parentUid === "" ? {} : { parentUid: Number(parentUid) };
      await client.setAffiliate({ uid: Number(uid), spotRate, futuresRate, ...parent });
      return `Rates of affiliate ${uid} saved`;
    });
    if (!done) return;
    onDone();
    onClose();
  };
  const field = (name: keyof typeof texts, label: string, hint: string, isFixed = false) => (
    <Field
      label={label}
      value={texts[name]}
      hint={hint}
      disabled={isFixed}
      error={fieldError(error, name)}
      onText={(text) => setTexts({ ...texts, [name]: text.trim() })}
    />
  );
  const hasParent = affiliate !== null && affiliate.parentUid !== null;
  return (
    <Dialog
      title={affiliate === null ? "Add affiliate" : `Affiliate ${affiliate.uid}`}
      open
      onClose={onClose}
    >
      <form className={layout.form} onSubmit={(event) => void submit(event)}>
        <div className={layout.fields}>
          {field("uid", "User", "UID", affiliate !== null)}
          {field("parentUid", "Parent", "Set once; cannot be changed", hasParent)}
          {field("spotRate", "Spot rate", "0.5 = half of the fee")}
          {field("futuresRate", "Contract rate", "0.5 = half of the fee")}
        </div>
        <p className={layout.dim}>
          New rates apply to fills from now on. Past commissions keep their rates.
        </p>
        <FormError error={error} fields={FIELDS} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone="accent"
            busy={busy}
            disabled={uid === "" || spotRate === "" || futuresRate === ""}
          >
            {affiliate === null ? "Add affiliate" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
