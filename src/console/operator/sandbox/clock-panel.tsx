/** Exchange time: freeze it, let it run faster or slower, advance it, set it forward. */
import { type ReactElement, useState } from "react";
import type { GetClockAnswer, OperatorClient, SetClockInput } from "../../../client/index.ts";
import { Choice, Field } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { parseUtcTime, utcTime } from "../../data/utc.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { countText, spanText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

const INTERVAL_MS = 2_000;
/** Everything that becomes due on the way happens before the answer. */
const TIMEOUT_MS = 60_000;

const PRESETS = [
  { text: "1 minute", ms: 60_000 },
  { text: "1 hour", ms: 3_600_000 },
  { text: "8 hours", ms: 28_800_000 },
  { text: "1 day", ms: 86_400_000 },
  { text: "7 days", ms: 604_800_000 },
] as const;

const FROZEN = 0;
const SPEEDS = [FROZEN, 0.1, 1, 10, 60, 600, 3_600, 10_000] as const;

type ChangeClock = (change: (client: OperatorClient) => Promise<GetClockAnswer>) => Promise<string>;

export function ClockPanel(): ReactElement {
  const { client } = useOperator();
  const query = useQuery("clock", (signal) => client.getClock({ signal }), INTERVAL_MS);
  const change: ChangeClock = async (change) => {
    const { time, speed, run } = await change(client);
    query.refresh();
    return `Exchange time is now ${utcTime(time)}, ${speedText(run ?? speed)}`;
  };
  const advance = (ms: number): Promise<string> => {
    return change((via) => via.advanceClock({ ms }, { timeoutMs: TIMEOUT_MS }));
  };
  return (
    <Panel title="Clock">
      <QueryView what="the clock" query={query}>
        {({ time, offsetMs, speed, run }) => (
          <div className={layout.form}>
            <Figures label="Clock" shape="line">
              <Figure name="Exchange time">{utcTime(time)}</Figure>
              <Figure name="Advanced by">{spanText(offsetMs)}</Figure>
              <Figure name="Speed">{speedText(run ?? speed)}</Figure>
            </Figures>
            <p className={layout.dim}>
              Everything that becomes due happens, in order: funding, settlements, expiries. Time
              goes forward only; restore a checkpoint to go back.
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
            <div className={layout.inline}>
              <SpeedChoice speed={run ?? speed} change={change} />
              <FreeAdvance advance={advance} />
              <FreeTime time={time} change={change} />
            </div>
          </div>
        )}
      </QueryView>
    </Panel>
  );
}

/** A number is so many times as fast as the wall clock. */
type Speed = number | "follow-market";

function speedText(speed: Speed): string {
  if (speed === "follow-market") return "follows the market";
  if (speed === FROZEN) return "frozen";
  return `${speed < 1 ? speed : countText(speed)} ×`;
}

interface SpeedChoiceProps {
  readonly speed: Speed;
  readonly change: ChangeClock;
}

/** Applies at once: a speed is undone by choosing the one before. */
function SpeedChoice({ speed, change }: SpeedChoiceProps): ReactElement {
  const { run, busy } = useMutation();
  const choose = (value: string): void => {
    void run(() => change((client) => client.setClock(settingOf(value))));
  };
  const speeds = [...new Set([...SPEEDS, ...(typeof speed === "number" ? [speed] : [])])];
  const choices: Speed[] = [...speeds.sort((a, b) => a - b), "follow-market"];
  return (
    <Choice
      label="Clock speed"
      value={String(speed)}
      options={choices.map((value) => ({ value: String(value), text: speedText(value) }))}
      disabled={busy}
      onValue={choose}
    />
  );
}

function settingOf(choice: string): SetClockInput {
  if (choice === "follow-market") return { run: choice };
  const speed = Number(choice);
  return speed === FROZEN ? { freeze: true } : { freeze: false, speed };
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

interface FreeTimeProps {
  readonly time: number;
  readonly change: ChangeClock;
}

function FreeTime({ time, change }: FreeTimeProps): ReactElement {
  const [text, setText] = useState("");
  const setMs = parseUtcTime(text);
  const isLater = setMs !== null && setMs > time;
  const wanted = setMs === null ? "" : utcTime(setMs);
  const error = setMs === null ? "Enter a time such as 2027-01-31 08:00" : "This time has passed";
  return (
    <div className={layout.inline}>
      <Field
        label="Exchange time"
        unit="UTC"
        placeholder="2027-01-31 08:00"
        value={text}
        error={text === "" || isLater ? null : error}
        onText={setText}
      />
      <ConfirmButton
        size="medium"
        disabled={!isLater}
        title={`Set the clock to ${wanted}`}
        consequence={consequenceOf(isLater ? spanText(setMs - time) : "")}
        confirm="Set the clock"
        act={() => change((via) => via.setClock({ setMs: setMs ?? 0 }, { timeoutMs: TIMEOUT_MS }))}
        onDone={() => setText("")}
      >
        Set the clock
      </ConfirmButton>
    </div>
  );
}

function consequenceOf(span: string): string {
  return (
    `Exchange time moves ahead by ${span} for everyone, and everything due by then happens now. ` +
    "Only restoring a checkpoint undoes this."
  );
}
