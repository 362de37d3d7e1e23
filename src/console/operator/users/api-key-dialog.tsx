/** Creates or edits an API key; a new secret is shown once. */
import { type ReactElement, useState } from "react";
import type { CreateApiKeyAnswer, GetApiKeyAnswer } from "../../../client/index.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Switch } from "../../components/field.tsx";
import { NewKey } from "../../components/new-key.tsx";
import layout from "../components/layout.module.css";
import { MutationForm } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

const PERMISSIONS = ["read", "spot", "contract", "affiliate", "withdraw", "keys"] as const;
type Permission = (typeof PERMISSIONS)[number];

export interface ApiKeyDialogProps {
  readonly uid: number;
  /** Null for a new key. */
  readonly edited: GetApiKeyAnswer | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ApiKeyDialog({ uid, edited, onClose, onDone }: ApiKeyDialogProps): ReactElement {
  const [created, setCreated] = useState<CreateApiKeyAnswer | null>(null);
  const title = edited === null ? `Create a key for user ${uid}` : "Edit API key";
  return (
    <Dialog title={title} open onClose={onClose} mustBeAnswered={created !== null}>
      {created === null ? (
        <KeyForm
          uid={uid}
          edited={edited}
          onCreated={setCreated}
          onClose={onClose}
          onDone={onDone}
        />
      ) : (
        <NewKey created={created} advice="Pass all three values to the user." onClose={onClose} />
      )}
    </Dialog>
  );
}

interface KeyFormProps extends ApiKeyDialogProps {
  readonly onCreated: (created: CreateApiKeyAnswer) => void;
}

function KeyForm({ uid, edited, onCreated, onClose, onDone }: KeyFormProps): ReactElement {
  const { client } = useOperator();
  const [label, setLabel] = useState(edited?.label ?? "");
  const [passphrase, setPassphrase] = useState("");
  const [ranges, setRanges] = useState(edited?.ipAllowList.join(", ") ?? "");
  const [permissions, setPermissions] = useState<readonly Permission[]>(
    edited?.permissions ?? ["read"],
  );
  const save = async (): Promise<string> => {
    const ipAllowList = ranges.split(/[\s,]+/).filter((range) => range !== "");
    const settings = { label, permissions, ipAllowList };
    if (edited !== null) {
      await client.updateApiKey({ apiKey: edited.apiKey, ...settings });
      return "API key saved";
    }
    onCreated(await client.createApiKey({ uid, passphrase, ...settings }));
    return "API key created";
  };
  const finish = (): void => {
    onDone();
    if (edited !== null) onClose();
  };
  return (
    <MutationForm
      submit={edited === null ? "Create key" : "Save"}
      disabled={permissions.length === 0 || (edited === null && passphrase === "")}
      act={save}
      onDone={finish}
      onCancel={onClose}
    >
      {(errorOf) => (
        <>
          <Field label="Label" value={label} error={errorOf("label")} onText={setLabel} />
          {edited === null ? (
            <Field
              label="Passphrase"
              value={passphrase}
              error={errorOf("passphrase")}
              hint="Agreed with the user, who sends it with every request."
              onText={setPassphrase}
            />
          ) : null}
          <PermissionFields permissions={permissions} onPermissions={setPermissions} />
          <Field
            label="Allowed IP addresses"
            placeholder="Any address"
            value={ranges}
            error={errorOf("ipAllowList")}
            hint="Addresses or ranges such as 10.0.0.0/8, separated by commas."
            onText={setRanges}
          />
        </>
      )}
    </MutationForm>
  );
}

interface PermissionFieldsProps {
  readonly permissions: readonly Permission[];
  readonly onPermissions: (permissions: readonly Permission[]) => void;
}

function PermissionFields({ permissions, onPermissions }: PermissionFieldsProps): ReactElement {
  const allow = (permission: Permission, isAllowed: boolean): void =>
    onPermissions(
      PERMISSIONS.filter((one) => (one === permission ? isAllowed : permissions.includes(one))),
    );
  return (
    <fieldset className={layout.group}>
      <legend>Permissions</legend>
      <div className={layout.inline}>
        {PERMISSIONS.map((permission) => (
          <Switch
            key={permission}
            label={permission}
            checked={permissions.includes(permission)}
            onChange={(checked) => allow(permission, checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
