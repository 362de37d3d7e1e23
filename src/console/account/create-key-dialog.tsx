/** Makes an API key with some of the rights of the one that signs. */
import { type FormEvent, type ReactElement, useState } from "react";
import { type ApiKey, RialtoError } from "../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Choice, Field, Switch } from "../components/field.tsx";
import { ErrorText } from "../components/form-error.tsx";
import { NewKey, type NewKeyProps } from "../components/new-key.tsx";
import { useMutation } from "../data/mutation.ts";
import { useSession } from "../session/session.tsx";
import styles from "./account-page.module.css";

type Permission = Exclude<ApiKey["permissions"][number], "keys">;

const LIFETIMES = [
  { value: "", text: "No earlier than this page's key" },
  { value: "30", text: "In 30 days" },
  { value: "90", text: "In 90 days" },
  { value: "365", text: "In a year" },
] as const;
type Lifetime = (typeof LIFETIMES)[number]["value"];

const DAY_MS = 86_400_000;
const PASSPHRASE = /^[A-Za-z0-9._-]{8,64}$/;

export interface CreateKeyDialogProps {
  /** The key that signs. */
  readonly own: ApiKey;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ own, onDone, onClose }: CreateKeyDialogProps): ReactElement {
  const [created, setCreated] = useState<NewKeyProps["created"] | null>(null);
  const done = (key: NewKeyProps["created"]): void => {
    setCreated(key);
    onDone();
  };
  return (
    <Dialog title="Create an API key" open onClose={onClose} mustBeAnswered={created !== null}>
      {created === null ? (
        <KeyForm own={own} onCreated={done} onClose={onClose} />
      ) : (
        <NewKey
          created={created}
          advice="Requests need all three values; keep them where nobody else reads."
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface KeyFormProps extends Pick<CreateKeyDialogProps, "own" | "onClose"> {
  readonly onCreated: (created: NewKeyProps["created"]) => void;
}

function KeyForm({ own, onCreated, onClose }: KeyFormProps): ReactElement {
  const { client } = useSession();
  const { busy, error, run } = useMutation();
  const [label, setLabel] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [ranges, setRanges] = useState(own.ipAllowList.join(", "));
  const [lifetime, setLifetime] = useState<Lifetime>("");
  const [permissions, setPermissions] = useState<readonly Permission[]>(["read"]);
  const create = async (): Promise<string> => {
    const ipAllowList = ranges.split(/[\s,]+/).filter((range) => range !== "");
    const end = await endOf(lifetime, async () => (await client.spot.serverTime()).serverTime);
    const settings = { label, permissions: [...permissions], passphrase, ipAllowList, ...end };
    onCreated({ ...(await client.spot.createApiKey(settings)), passphrase });
    return "API key created";
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(create);
  };
  const field = error instanceof RialtoError ? error.field : null;
  const errorOf = (name: string): string | null => (field === name ? (error?.message ?? "") : null);
  const isAtField = ["label", "passphrase", "ipAllowList"].includes(field ?? "");
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field label="Label" value={label} error={errorOf("label")} onText={setLabel} />
      <Field
        label="Passphrase"
        value={passphrase}
        error={errorOf("passphrase")}
        hint="8 to 64 of A-Z a-z 0-9 . _ -; sent with every request of the key."
        onText={setPassphrase}
      />
      <Permissions own={own} chosen={permissions} onChosen={setPermissions} />
      <Field
        label="Allowed IP addresses"
        placeholder="Any address"
        value={ranges}
        error={errorOf("ipAllowList")}
        hint={
          own.ipAllowList.length === 0
            ? "Addresses or ranges such as 10.0.0.0/8, separated by commas."
            : "Only of this page's key."
        }
        onText={setRanges}
      />
      <Choice label="Expires" value={lifetime} options={LIFETIMES} onValue={setLifetime} />
      <ErrorText text={error === null || isAtField ? null : error.message} />
      <div className={styles.ends}>
        <Button size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          tone="accent"
          size="large"
          busy={busy}
          disabled={permissions.length === 0 || !PASSPHRASE.test(passphrase)}
        >
          Create key
        </Button>
      </div>
    </form>
  );
}

async function endOf(
  lifetime: Lifetime,
  serverTime: () => Promise<number>,
): Promise<{ readonly expiresAt?: number }> {
  if (lifetime === "") return {};
  return { expiresAt: (await serverTime()) + Number(lifetime) * DAY_MS };
}

const WORDS: Readonly<Record<Permission, string>> = {
  read: "Read",
  spot: "Trade spot",
  contract: "Trade contracts",
  affiliate: "Affiliate",
  withdraw: "Withdraw",
};

interface PermissionsProps {
  readonly own: ApiKey;
  readonly chosen: readonly Permission[];
  readonly onChosen: (chosen: readonly Permission[]) => void;
}

/** What this page's key lacks cannot be given. */
function Permissions({ own, chosen, onChosen }: PermissionsProps): ReactElement {
  const offered = own.permissions.filter((permission) => permission !== "keys");
  return (
    <fieldset className={styles.permissions}>
      <legend>Permissions</legend>
      {offered.map((permission) => (
        <Switch
          key={permission}
          label={WORDS[permission]}
          checked={chosen.includes(permission)}
          onChange={(isOn) =>
            onChosen(offered.filter((each) => (each === permission ? isOn : chosen.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}
