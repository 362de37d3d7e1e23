/** Markets on demand: moves a price, brings about a scenario, and shows what was done. */
import { type ReactElement, useState } from "react";
import type { MovePriceAnswer, TriggerScenarioInput } from "../../../client/index.ts";
import { Choice, Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import layout from "../components/layout.module.css";
import { MutationForm } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

/** The answer comes when it is done. */
const TIMEOUT_MS = 300_000;

const SCENARIOS = [
  { value: "liquidate", text: "Liquidation" },
  { value: "partial-liquidation", text: "Partial liquidation" },
  { value: "adl", text: "Auto-deleveraging" },
  { value: "funding-spike", text: "Funding spike" },
  { value: "flash-crash", text: "Flash crash" },
  { value: "halt", text: "Halt" },
  { value: "index-stale", text: "Stale index" },
  { value: "delist", text: "Delisting" },
] as const;

export function MarketsPanel(): ReactElement {
  const [did, setDid] = useState<readonly string[]>([]);
  return (
    <Panel title="Markets on demand">
      <div className={layout.form}>
        <p className={layout.dim}>
          The house, an account of the exchange itself, trades the market to this price and fills
          the orders in between. Liquidations and triggers follow as usual.
        </p>
        <PriceForm onDone={(sentence) => setDid([sentence])} />
        <ScenarioForm onDone={setDid} />
        {did.length === 0 ? null : (
          <ol aria-label="What was done">
            {did.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ol>
        )}
      </div>
    </Panel>
  );
}

function PriceForm(props: { readonly onDone: (sentence: string) => void }): ReactElement {
  const { client } = useOperator();
  const [symbol, setSymbol] = useState("");
  const [price, setPrice] = useState("");
  const [seconds, setSeconds] = useState("");
  const move = async (): Promise<string> => {
    const inMs = seconds === "" ? {} : { inMs: Math.round(Number(seconds) * 1_000) };
    const input = { symbol, to: price, ...inMs };
    const moved = await client.movePrice(input, { timeoutMs: TIMEOUT_MS });
    const sentence = movedText(moved);
    props.onDone(sentence);
    return sentence;
  };
  const isTime = seconds === "" || /^\d{1,6}(\.\d{1,3})?$/.test(seconds);
  return (
    <MutationForm
      act={move}
      submit="Move price"
      disabled={symbol === "" || price === "" || !isTime}
    >
      {(errorOf) => (
        <div className={layout.fields}>
          <Field
            label="Market"
            value={symbol}
            error={errorOf("symbol")}
            onText={(text) => setSymbol(text.trim().toUpperCase())}
          />
          <Field
            label="Price"
            inputMode="decimal"
            value={price}
            error={errorOf("to")}
            onText={(text) => setPrice(text.trim())}
          />
          <Field
            label="Within"
            unit="s"
            inputMode="decimal"
            value={seconds}
            error={isTime ? errorOf("inMs") : "Enter seconds, or leave empty"}
            hint="Empty: immediately."
            onText={(text) => setSeconds(text.trim())}
          />
        </div>
      )}
    </MutationForm>
  );
}

function movedText({ markPrice, price, product, symbol }: MovePriceAnswer): string {
  const mark = markPrice === null ? "" : `, mark price ${markPrice}`;
  return `${symbol} (${product}) is at ${price}${mark}`;
}

interface ScenarioFormProps {
  readonly onDone: (did: readonly string[]) => void;
}

function ScenarioForm({ onDone }: ScenarioFormProps): ReactElement {
  const { client } = useOperator();
  const [scenario, setScenario] = useState<TriggerScenarioInput["scenario"]>("liquidate");
  const [uid, setUid] = useState("");
  const [symbol, setSymbol] = useState("");
  const isUid = uid === "" || /^[1-9]\d{0,15}$/.test(uid);
  const trigger = async (): Promise<string> => {
    const about = uid === "" ? {} : { uid: Number(uid) };
    const where = symbol === "" ? {} : { symbol };
    const input = { scenario, ...about, ...where };
    const { did } = await client.triggerScenario(input, { timeoutMs: TIMEOUT_MS });
    onDone(did);
    return `${SCENARIOS.find(({ value }) => value === scenario)?.text ?? scenario} done`;
  };
  return (
    <MutationForm
      act={trigger}
      submit="Run scenario"
      disabled={!isUid || (uid === "" && symbol === "")}
    >
      {(errorOf) => (
        <div className={layout.fields}>
          <Choice label="Scenario" value={scenario} options={SCENARIOS} onValue={setScenario} />
          <Field
            label="User"
            inputMode="numeric"
            value={uid}
            error={isUid ? errorOf("uid") : "Enter a uid"}
            hint="Whose position is affected."
            onText={(text) => setUid(text.trim())}
          />
          <Field
            label="Market"
            value={symbol}
            error={errorOf("symbol")}
            hint="Empty: the user's position."
            onText={(text) => setSymbol(text.trim().toUpperCase())}
          />
        </div>
      )}
    </MutationForm>
  );
}
