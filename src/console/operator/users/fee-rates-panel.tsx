/** A user's custom fee rates, which override market rates. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { SetFeeRatesAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { rateText } from "../../decimals/format.ts";
import { useOperator } from "../session/operator-session.tsx";
import styles from "./fee-rates-panel.module.css";

const FIELDS = ["symbol", "makerFeeRate", "takerFeeRate"];

const PRODUCTS = [
  { value: "spot", text: "Spot" },
  { value: "contract", text: "Contracts" },
] as const;

const NO_RATES = { product: "spot", symbol: "", makerFeeRate: "", takerFeeRate: "" } as const;

interface Rates {
  readonly product: "spot" | "contract";
  /** Empty for all markets. */
  readonly symbol: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
}

export function FeeRatesPanel({ uid }: { readonly uid: number }): ReactElement {
  const { client } = useOperator();
  const query = useQuery(`fee-rates ${uid}`, (signal) => client.getFeeRates({ uid }, { signal }));
  return (
    <Panel title="Fee rates" flush>
      <QueryTable
        label="Fee rates"
        query={query}
        columns={COLUMNS}
        rowKey={({ product, symbol }) => `${product} ${symbol}`}
        empty="No custom rates: market rates apply."
      />
      <RatesForm uid={uid} onDone={query.refresh} />
    </Panel>
  );
}

interface RatesFormProps {
  readonly uid: number;
  readonly onDone: () => void;
}

function RatesForm({ uid, onDone }: RatesFormProps): ReactElement {
  const { client } = useOperator();
  const [rates, setRates] = useState<Rates>(NO_RATES);
  const { busy, error, run } = useMutation();
  const { product, symbol, makerFeeRate, takerFeeRate } = rates;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const done = await run(async () => {
      const where = symbol === "" ? {} : { symbol };
      await client.setFeeRates({ uid, product, makerFeeRate, takerFeeRate, ...where });
      return "Fee rates saved; they apply to new orders";
    });
    if (!done) return;
    setRates(NO_RATES);
    onDone();
  };
  const field = (name: "symbol" | "makerFeeRate" | "takerFeeRate", label: string, hint: string) => (
    <Field
      label={label}
      value={rates[name]}
      placeholder={hint}
      error={fieldError(error, name)}
      onText={(text) => setRates({ ...rates, [name]: text.trim() })}
    />
  );
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <div className={styles.fields}>
        <Choice
          label="Product"
          value={product}
          options={PRODUCTS}
          onValue={(value) => setRates({ ...rates, product: value })}
        />
        {field("symbol", "Market", "All markets")}
        {field("makerFeeRate", "Maker rate", "0.001 = 0.1%")}
        {field("takerFeeRate", "Taker rate", "0.001 = 0.1%")}
      </div>
      <FormError error={error} fields={FIELDS} />
      <Button type="submit" busy={busy} disabled={makerFeeRate === "" || takerFeeRate === ""}>
        Save rates
      </Button>
    </form>
  );
}

const COLUMNS: readonly Column<SetFeeRatesAnswer>[] = [
  { id: "product", header: "Product", cell: ({ product }) => product },
  { id: "symbol", header: "Market", cell: ({ symbol }) => symbol ?? "all" },
  {
    id: "maker",
    header: "Maker",
    align: "right",
    cell: ({ makerFeeRate }) => rateText(makerFeeRate, 4),
  },
  {
    id: "taker",
    header: "Taker",
    align: "right",
    cell: ({ takerFeeRate }) => rateText(takerFeeRate, 4),
  },
];
