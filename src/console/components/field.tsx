/** A labelled input with unit, hint and error. */
import { type InputHTMLAttributes, type ReactElement, type ReactNode, useId } from "react";
import styles from "./field.module.css";

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  readonly label: ReactNode;
  /** Beside the label, e.g. buttons that fill the field. */
  readonly actions?: ReactNode;
  /** After the input: an asset or a unit. */
  readonly unit?: ReactNode;
  readonly hint?: ReactNode;
  /** Null or absent while the value is valid. */
  readonly error?: string | null | undefined;
  readonly onText: (text: string) => void;
}

export function Field(props: FieldProps): ReactElement {
  const { label, actions, unit, hint, error, onText, ...input } = props;
  const id = useId();
  const wrong = error !== undefined && error !== null;
  return (
    <div className={styles.field}>
      <div className={styles.top}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {actions}
      </div>
      <div className={styles.box} data-wrong={wrong || undefined}>
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          id={id}
          className={styles.input}
          aria-invalid={wrong || undefined}
          aria-describedby={wrong || hint !== undefined ? `${id}-note` : undefined}
          onChange={(event) => onText(event.target.value)}
        />
        {unit === undefined ? null : <span className={styles.unit}>{unit}</span>}
      </div>
      {wrong || hint !== undefined ? (
        <div id={`${id}-note`} className={wrong ? styles.error : styles.hint}>
          {wrong ? error : hint}
        </div>
      ) : null}
    </div>
  );
}

export interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** False hides the label from all but screen readers. */
  readonly showLabel?: boolean;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly disabled?: boolean;
  readonly onValue: (value: Value) => void;
}

/** A drop-down list. */
export function Choice<Value extends string>(props: ChoiceProps<Value>): ReactElement {
  const { label, showLabel = true, value, options, disabled = false, onValue } = props;
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={showLabel ? styles.label : "visually-hidden"}>
        {label}
      </label>
      <select
        id={id}
        className={styles.select}
        value={value}
        disabled={disabled}
        onChange={(event) => onValue(event.target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Two to five options side by side, one selected. */
export function Segments<Value extends string>(
  props: ChoiceProps<Value> & { readonly tone?: "plain" | "sides" },
): ReactElement {
  const { label, value, options, disabled = false, tone = "plain", onValue } = props;
  const name = useId();
  return (
    <fieldset className={styles.segments} data-tone={tone} disabled={disabled}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles.segment} data-value={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  );
}

export interface SwitchProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Switch({ label, checked, disabled, onChange }: SwitchProps): ReactElement {
  return (
    <label className={styles.switch}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
