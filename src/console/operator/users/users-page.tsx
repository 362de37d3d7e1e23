/** All users, page by page, and the search for them, their keys and orders. */
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import type { ListUsersAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { Badge } from "../components/badge.tsx";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { RegisterDialog } from "./register-dialog.tsx";
import { SearchPanel } from "./search-panel.tsx";

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
      <SearchPanel />
      <Panel
        title="Users"
        flush
        actions={
          <Button tone="accent" onClick={() => setRegistering(true)}>
            Register a user
          </Button>
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
