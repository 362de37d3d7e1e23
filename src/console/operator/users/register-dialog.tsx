/** Registers a user. */
import { type ReactElement, useState } from "react";
import { useLocation } from "wouter";
import { Field, Switch } from "../../components/field.tsx";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

export function RegisterDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { client } = useOperator();
  const [uid, setUid] = useState("");
  const [inviteCode, setInviteCode] = useState("");
  const [kyc, setKyc] = useState(false);
  const [, navigate] = useLocation();
  const register = async (): Promise<string> => {
    const user = await client.registerUser({
      kyc,
      ...(uid === "" ? {} : { uid: Number(uid) }),
      ...(inviteCode === "" ? {} : { inviteCode }),
    });
    navigate(`/users/${user.uid}`);
    return `User ${user.uid} registered`;
  };
  return (
    <MutationDialog title="Register a user" submit="Register" act={register} onClose={onClose}>
      {(errorOf) => (
        <>
          <Field
            label="UID"
            placeholder="Next free UID"
            inputMode="numeric"
            value={uid}
            error={errorOf("uid")}
            onText={setUid}
          />
          <Field
            label="Referrer's invite code"
            placeholder="None"
            value={inviteCode}
            error={errorOf("inviteCode")}
            onText={setInviteCode}
          />
          <Switch label="KYC verified" checked={kyc} onChange={setKyc} />
        </>
      )}
    </MutationDialog>
  );
}
