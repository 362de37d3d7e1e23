/** Registers a user. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Switch } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

export interface RegisterDialogProps {
  readonly onClose: () => void;
  readonly onDone: (uid: number) => void;
}

export function RegisterDialog({ onClose, onDone }: RegisterDialogProps): ReactElement {
  const { client } = useOperator();
  const [uid, setUid] = useState("");
  const [inviteCode, setInviteCode] = useState("");
  const [kyc, setKyc] = useState(false);
  const { busy, error, run } = useMutation();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    let registered = 0;
    const done = await run(async () => {
      const answer = await client.registerUser({
        kyc,
        ...(uid === "" ? {} : { uid: Number(uid) }),
        ...(inviteCode === "" ? {} : { inviteCode }),
      });
      registered = answer.uid;
      return `User ${answer.uid} registered`;
    });
    if (done) onDone(registered);
  };
  return (
    <Dialog title="Register a user" open onClose={onClose}>
      <form className={layout.form} onSubmit={(event) => void submit(event)}>
        <Field
          label="UID"
          placeholder="Next free UID"
          inputMode="numeric"
          value={uid}
          error={fieldError(error, "uid")}
          onText={setUid}
        />
        <Field
          label="Referrer's invite code"
          placeholder="None"
          value={inviteCode}
          error={fieldError(error, "inviteCode")}
          onText={setInviteCode}
        />
        <Switch label="KYC verified" checked={kyc} onChange={setKyc} />
        <FormError error={error} fields={["uid", "inviteCode"]} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="accent" busy={busy}>
            Register
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
