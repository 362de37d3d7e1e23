/** Sandbox controls: advance the clock, pin mark prices, set index prices, make faults. */
import { type ReactElement, useState } from "react";
import { Field } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { spanText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { FaultsPanel } from "./faults-panel.tsx";
import { PricesPanel } from "./prices-panel.tsx";

const INTERVAL_MS = 2_000;
const ADVANCE_TIMEOUT_MS = 60_000;

const PRESETS = [
  { text: "1 minute", ms: 60_000 },
  { text: "1 hour", ms: 3_600_000 },
  { text: "8 hours", ms: 28_800_000 },
  { text: "1 day", ms: 86_400_000 },
  { text: "7 days", ms: 604_800_000 },
] as const;

export function SandboxPage(): ReactElement {
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Sandbox</h1>
      <ClockPanel />
      <PricesPanel />
      <FaultsPanel />
    </div>
  );
}

function ClockPanel(): ReactElement {
  const { client } = useOperator();
  const query = useQuery("clock", (signal) => client.getClock({ signal }), INTERVAL_MS);
  const advance = async (ms: number): Promise<string> => {
    const { time } = await client.advanceClock({ ms }, { timeoutMs: ADVANCE_TIMEOUT_MS });
    query.refresh();
    return `Exchange time is now ${utcTime(time)}`;
  };
  return (
    <Panel title="Clock">
      <QueryView what="the clock" query={query}>
        {({ time, offsetMs }) => (
          <div className={layout.form}>
            <Figures label="Clock" shape="line">
              <Figure name="Exchange time">{utcTime(time)}</Figure>
              <Figure name="Ahead of wall clock">{spanText(offsetMs)}</Figure>
            </Figures>
            <p className={layout.dim}>
              Advancing the clock runs everything that becomes due, in order: funding, settlements,
              expiries. Time continues normally from there and cannot go back.
            </p>
            <div className={layout.inline}>
              {PRESETS.map(({ text, ms }) => (
                <ConfirmButton
                  key={ms}
                  size="medium"
                  title={`Advance the clock by ${text}`}
                  consequence={consequenceOf(text)}
                  confirm={`Advance by ${text}`}
                  act={() => advance(ms)}
                >
                  + {text}
                </ConfirmButton>
              ))}
            </div>
            <FreeAdvance advance={advance} />
          </div>
        )}
      </QueryView>
    </Panel>
  );
}

function FreeAdvance(props: { readonly advance: (ms: number) => Promise<string> }): ReactElement {
  const [text, setText] = useState("");
  const isWhole = /^[1-9]\d{0,14}$/.test(text);
  const span = `${text} ms (${spanText(Number(text))})`;
  return (
    <div className={layout.inline}>
      <Field
        label="Custom interval"
        unit="ms"
        inputMode="numeric"
        value={text}
        error={text !== "" && !isWhole ? "Enter a whole number above 0" : null}
        onText={(typed) => setText(typed.trim())}
      />
      <ConfirmButton
        size="medium"
        disabled={!isWhole}
        title={`Advance the clock by ${span}`}
        consequence={consequenceOf(span)}
        confirm="Advance the clock"
        act={() => props.advance(Number(text))}
        onDone={() => setText("")}
      >
        Advance{isWhole ? ` by ${spanText(Number(text))}` : ""}
      </ConfirmButton>
    </div>
  );
}

function consequenceOf(span: string): string {
  return (
    `Exchange time jumps ahead by ${span} for everyone, and everything due by then happens ` +
    "now. This cannot be undone."
  );
}
