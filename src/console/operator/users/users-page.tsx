/** All users, a page at a time, and the way to one by uid. */
import { type FormEvent, type ReactElement, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ListUsersAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { Asked } from "../../components/query-view.tsx";
import { Badge } from "../components/badge.tsx";
import { utcTime } from "../components/format.ts";
import parts from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { RegisterDialog } from "./register-dialog.tsx";

type User = ListUsersAnswer["items"][number];

const LIMIT = 50;

export function UsersPage(): ReactElement {
  const { client } = useOperator();
  const [, navigate] = useLocation();
  const [registering, setRegistering] = useState(false);
  const paged = usePages<User, number>("users", (after, signal) =>
    client.listUsers({ limit: LIMIT, ...(after === undefined ? {} : { after }) }, { signal }),
  );
  const columns = useMemo(columnsOf, []);
  return (
    <div className={parts.page}>
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
        <Asked what="The users" polled={paged.polled}>
          {({ items }) => (
            <DataTable
              label="Users"
              columns={columns}
              rows={items}
              rowKey={({ uid }) => uid}
              empty={<Notice kind="empty">Nobody is registered here yet.</Notice>}
            />
          )}
        </Asked>
        <Pager what="users" paged={paged} />
      </Panel>
      {registering ? (
        <RegisterDialog
          onClose={() => setRegistering(false)}
          onDone={(uid) => navigate(`/users/${uid}`)}
        />
      ) : null}
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
    <form className={parts.inline} onSubmit={go}>
      <Field
        label={<span className="visually-hidden">User by uid</span>}
        placeholder="uid"
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

function columnsOf(): readonly Column<User>[] {
  return [
    { id: "uid", header: "User", cell: ({ uid }) => <Link href={`/users/${uid}`}>{uid}</Link> },
    {
      id: "state",
      header: "State",
      cell: ({ state }) => <Badge tone={state === "active" ? "good" : "bad"}>{state}</Badge>,
    },
    { id: "kyc", header: "KYC", cell: ({ kyc }) => (kyc ? "done" : "–") },
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
}
