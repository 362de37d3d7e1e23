/** Chooses the indicators of the chart and their periods. */
import type { ReactElement } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Switch } from "../../components/field.tsx";
import {
  INDICATORS,
  type IndicatorChoice,
  type IndicatorKind,
  readPeriods,
  usualPeriods,
} from "./indicators.ts";
import styles from "./line-dialogs.module.css";

export interface IndicatorDialogProps {
  readonly chosen: readonly IndicatorChoice[];
  readonly onChange: (chosen: readonly IndicatorChoice[]) => void;
  readonly onClose: () => void;
}

export function IndicatorDialog(props: IndicatorDialogProps): ReactElement {
  const { chosen, onChange, onClose } = props;
  const set = (kind: IndicatorKind, choice: IndicatorChoice | null): void => {
    const isShown = chosen.some(({ name }) => name === kind.name);
    const others = chosen.flatMap((each) => {
      if (each.name !== kind.name) return [each];
      return choice === null ? [] : [choice];
    });
    onChange(isShown || choice === null ? others : [...chosen, choice]);
  };
  return (
    <Dialog title="Indicators" open onClose={onClose}>
      <div className={styles.kinds}>
        {INDICATORS.map((kind) => (
          <Kind
            key={kind.name}
            kind={kind}
            choice={chosen.find(({ name }) => name === kind.name)}
            onChoice={(choice) => set(kind, choice)}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface KindProps {
  readonly kind: IndicatorKind;
  readonly choice: IndicatorChoice | undefined;
  readonly onChoice: (choice: IndicatorChoice | null) => void;
}

function Kind({ kind, choice, onChoice }: KindProps): ReactElement {
  const { name, text } = kind;
  const label = text.toUpperCase() === name ? name : `${text} (${name})`;
  const change = (place: number, value: string): void => {
    const values: unknown[] = kind.periods.map((_, i) => choice?.periods[i]);
    values[place] = value;
    onChoice({ name, periods: readPeriods(kind, values) });
  };
  return (
    <div className={styles.kind}>
      <Switch
        label={label}
        checked={choice !== undefined}
        onChange={(isOn) => onChoice(isOn ? { name, periods: usualPeriods(kind) } : null)}
      />
      {choice === undefined ? null : (
        <div className={styles.fields}>
          {kind.periods.map((period, i) => (
            <Field
              // A new number of periods begins anew.
              key={`${period.text} ${choice.periods.length}`}
              label={period.text}
              aria-label={`${name}: ${period.text}`}
              inputMode="numeric"
              defaultValue={choice.periods[i] ?? ""}
              onText={() => undefined}
              onBlur={({ target }) => change(i, target.value)}
              onKeyDown={({ key, currentTarget }) => {
                if (key === "Enter") change(i, currentTarget.value);
              }}
            />
          ))}
        </div>
      )}
    </div>
  );
}
