/** One user: status, funds, positions, orders, fee rates, API keys. */
import { type ReactElement, useCallback, useState } from "react";
import { Link } from "wouter";
import type { GetUserAnswer } from "../../../client/index.ts";
import { Notice } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { ApiKeysPanel } from "./api-keys-panel.tsx";
import { BalancesPanel } from "./balances-panel.tsx";
import { FeeRatesPanel } from "./fee-rates-panel.tsx";
import { MovementForm } from "./movement-form.tsx";
import { MovementsPanel } from "./movements-panel.tsx";
import { OrdersPanel } from "./orders-panel.tsx";
import { PositionsPanel } from "./positions-panel.tsx";
import { UserPanel } from "./user-panel.tsx";

export function UserPage({ uid }: { readonly uid: number }): ReactElement {
  const { client } = useOperator();
  const isUid = Number.isSafeInteger(uid) && uid > 0;
  const query = useQuery(isUid ? `user ${uid}` : null, (signal) =>
    client.getUser({ uid }, { signal }),
  );
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">User {uid}</h1>
      <p>
        <Link href="/users">← All users</Link>
      </p>
      {isUid ? (
        <QueryView what={`user ${uid}`} query={query}>
          {(user) => <UserParts user={user} onChange={query.refresh} />}
        </QueryView>
      ) : (
        <Notice kind="empty">A UID is a whole number above 0.</Notice>
      )}
    </div>
  );
}

interface UserPartsProps {
  readonly user: GetUserAnswer;
  readonly onChange: () => void;
}

function UserParts({ user, onChange }: UserPartsProps): ReactElement {
  const { uid } = user;
  // Grows with every fund movement, which refreshes balances and lists.
  const [version, setVersion] = useState(0);
  const moved = useCallback(() => setVersion((before) => before + 1), []);
  return (
    <>
      <UserPanel user={user} onChange={onChange} />
      <div className={layout.columns}>
        <BalancesPanel uid={uid} version={version} />
        <MovementForm uid={uid} onDone={moved} />
      </div>
      <PositionsPanel uid={uid} />
      <OrdersPanel uid={uid} />
      <MovementsPanel uid={uid} version={version} />
      <div className={layout.columns}>
        <FeeRatesPanel uid={uid} />
        <ApiKeysPanel uid={uid} />
      </div>
    </>
  );
}
