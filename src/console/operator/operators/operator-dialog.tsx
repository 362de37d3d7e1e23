/** Adds an operator, changes the role, or draws a new token; a token is shown once. */
import { type ReactElement, useState } from "react";
import type { AddOperatorAnswer, GetOperatorAnswer } from "../../../client/index.ts";
import { OPERATOR_ROLES, type OperatorRole } from "../../../domain/index.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Choice, Field, Switch } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import { MutationForm } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

const MAY: Readonly<Record<OperatorRole, string>> = {
  viewer: "reads everything, changes nothing",
  support: "users, API keys, affiliates",
  markets: "assets, markets, index prices, fee rates",
  risk: "halts, index prices, frozen users, revoked keys",
  treasury: "deposits, withdrawals, insurance fund, commissions",
  administrator: "everything",
};
const ROLES = OPERATOR_ROLES.map((value) => ({ value, text: `${value}: ${MAY[value]}` }));

export interface OperatorDialogProps {
  /** Null for a new operator. */
  readonly edited: GetOperatorAnswer | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function OperatorDialog({ edited, onClose, onDone }: OperatorDialogProps): ReactElement {
  const [created, setCreated] = useState<AddOperatorAnswer | null>(null);
  const title = edited === null ? "Add an operator" : `Operator ${edited.name}`;
  return (
    <Dialog title={title} open onClose={onClose} mustBeAnswered={created !== null}>
      {created === null ? (
        <OperatorForm edited={edited} onToken={setCreated} onClose={onClose} onDone={onDone} />
      ) : (
        <NewToken created={created} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface OperatorFormProps extends OperatorDialogProps {
  readonly onToken: (created: AddOperatorAnswer) => void;
}

function OperatorForm({ edited, onToken, onClose, onDone }: OperatorFormProps): ReactElement {
  const { client } = useOperator();
  const [name, setName] = useState(edited?.name ?? "");
  const [role, setRole] = useState<OperatorRole>(edited?.role ?? "viewer");
  const [isRotated, setRotated] = useState(false);
  const save = async (): Promise<string> => {
    if (edited === null) {
      onToken(await client.addOperator({ name, role }));
      return `${name} added`;
    }
    if (role !== edited.role) await client.updateOperator({ name, role });
    if (isRotated) onToken(await client.rotateToken({ name }));
    return "Operator saved";
  };
  const finish = (): void => {
    onDone();
    if (edited !== null && !isRotated) onClose();
  };
  return (
    <MutationForm
      submit={edited === null ? "Add operator" : "Save"}
      disabled={edited === null ? name === "" : role === edited.role && !isRotated}
      act={save}
      onDone={finish}
      onCancel={onClose}
    >
      {(errorOf) => (
        <>
          {edited === null ? (
            <Field
              label="Name"
              value={name}
              error={errorOf("name")}
              hint="As it appears in the audit log, such as ann or night-watch."
              onText={setName}
            />
          ) : null}
          <Choice label="Role" value={role} options={ROLES} onValue={setRole} />
          {edited === null ? null : (
            <Switch
              label="New token: the old one is rejected at once"
              checked={isRotated}
              onChange={setRotated}
            />
          )}
        </>
      )}
    </MutationForm>
  );
}

interface NewTokenProps {
  readonly created: AddOperatorAnswer;
  readonly onClose: () => void;
}

function NewToken({ created, onClose }: NewTokenProps): ReactElement {
  return (
    <div className={layout.form}>
      <p role="status">
        <strong>The token is shown only once.</strong> Pass it to {created.name}.
      </p>
      <code className={layout.clip}>{created.token}</code>
      <div className={layout.ends}>
        <CopyButton text={created.token} what="token" />
        <Button tone="accent" onClick={onClose}>
          I have saved it
        </Button>
      </div>
    </div>
  );
}
