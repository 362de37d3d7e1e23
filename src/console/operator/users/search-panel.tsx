/** Finds users, API keys and orders by what identifies them. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Link } from "wouter";
import type { SearchAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

type Found = SearchAnswer["items"][number];

const LENGTH_MAX = 64;

export function SearchPanel(): ReactElement {
  const { client } = useOperator();
  const [text, setText] = useState("");
  const [sought, setSought] = useState<{ text: string; times: number } | null>(null);
  const query = useQuery(
    sought === null ? null : `search ${sought.text}`,
    (signal) => client.search({ text: sought?.text ?? "" }, { signal }),
    null,
    sought?.times ?? 0,
  );
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const trimmed = text.trim();
    setSought(trimmed === "" ? null : { text: trimmed, times: (sought?.times ?? 0) + 1 });
  };
  return (
    <Panel label="Search" flush={sought !== null}>
      <search>
        <form className={layout.search} onSubmit={search}>
          <Field
            label="Find a user, API key or order"
            placeholder="UID, API key, order ID or client order ID"
            type="search"
            maxLength={LENGTH_MAX}
            value={text}
            onText={setText}
          />
          <Button type="submit" disabled={text.trim() === ""}>
            Search
          </Button>
        </form>
      </search>
      {sought === null ? null : (
        <QueryTable
          label="Search results"
          query={query}
          columns={COLUMNS}
          rowKey={({ kind, uid, product, id }) => `${kind} ${uid} ${product} ${id}`}
          empty={`Nothing has the ID “${sought.text}”.`}
        />
      )}
    </Panel>
  );
}

const KINDS: Readonly<Record<Found["kind"], string>> = {
  user: "User",
  "api-key": "API key",
  "open-order": "Open order",
  "ended-order": "Ended order",
};

const COLUMNS: readonly Column<Found>[] = [
  { id: "kind", header: "Found", cell: ({ kind }) => KINDS[kind] },
  { id: "id", header: "ID", cell: ({ id }) => <span className={layout.clip}>{id}</span> },
  {
    id: "client",
    header: "Client order ID",
    cell: ({ clientOrderId }) => (
      <span className={layout.clip} title={clientOrderId ?? undefined}>
        {clientOrderId ?? "–"}
      </span>
    ),
  },
  {
    id: "market",
    header: "Market",
    cell: ({ symbol, product }) => (symbol === null ? "–" : `${symbol} ${product}`),
  },
  {
    id: "status",
    header: "Status",
    cell: ({ status }) => (status === null ? "–" : status.toLowerCase()),
  },
  { id: "uid", header: "User", cell: ({ uid }) => <Link href={`/users/${uid}`}>{uid}</Link> },
];
