/** All users, page by page, and a search by UID. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ListUsersAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { Badge } from "../components/badge.tsx";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { RegisterDialog } from "./register-dialog.tsx";

type User = ListUsersAnswer["items"][number];

const LIMIT = 50;

export function UsersPage(): ReactElement {
  const { client } = useOperator();
  const [registering, setRegistering] = useState(false);
  const paged = usePages<User, number>("users", (after, signal) =>
    client.listUsers({ limit: LIMIT, ...(after === undefined ? {} : { after }) }, { signal }),
  );
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Users</h1>
      <Panel
        title="Users"
        flush
        actions={
          <>
            <UidSearch />
            <Button tone="accent" onClick={() => setRegistering(true)}>
              Register a user
            </Button>
          </>
        }
      >
        <QueryTable
          label="Users"
          query={paged.query}
          columns={COLUMNS}
          rowKey={({ uid }) => uid}
          empty="No users yet."
        />
        <Pager what="users" paged={paged} />
      </Panel>
      {registering ? <RegisterDialog onClose={() => setRegistering(false)} /> : null}
    </div>
  );
}

function UidSearch(): ReactElement {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const isUid = /^[1-9]\d{0,15}$/.test(text);
  const go = (event: FormEvent): void => {
    event.preventDefault();
    if (isUid) navigate(`/users/${text}`);
  };
  return (
    <form className={layout.inline} onSubmit={go}>
      <Field
        label={<span className="visually-hidden">Find user by UID</span>}
        placeholder="UID"
        inputMode="numeric"
        value={text}
        onText={(typed) => setText(typed.trim())}
      />
      <Button type="submit" disabled={!isUid}>
        Go to user
      </Button>
    </form>
  );
}

const COLUMNS: readonly Column<User>[] = [
  { id: "uid", header: "User", cell: ({ uid }) => <Link href={`/users/${uid}`}>{uid}</Link> },
  {
    id: "state",
    header: "State",
    cell: ({ state }) => <Badge tone={state === "active" ? "good" : "bad"}>{state}</Badge>,
  },
  { id: "kyc", header: "KYC", cell: ({ kyc }) => (kyc ? "verified" : "–") },
  { id: "house", header: "House", cell: ({ house }) => (house ? "yes" : "–") },
  { id: "code", header: "Invite code", cell: ({ inviteCode }) => inviteCode },
  {
    id: "inviter",
    header: "Invited by",
    cell: ({ inviterUid }) =>
      inviterUid === null ? "–" : <Link href={`/users/${inviterUid}`}>{inviterUid}</Link>,
  },
  {
    id: "since",
    header: "Registered",
    align: "right",
    cell: ({ registeredAt }) => utcTime(registeredAt),
  },
];
