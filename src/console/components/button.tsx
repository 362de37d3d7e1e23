/** Buttons: one shape, a tone for what they mean. */
import type { ButtonHTMLAttributes, ReactElement } from "react";
import styles from "./button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly tone?: "plain" | "accent" | "buy" | "sell" | "danger" | "quiet";
  readonly size?: "small" | "medium" | "large";
  /** Something is under way: not to be pressed again, and said to screen readers. */
  readonly busy?: boolean;
}

export function Button({
  tone = "plain",
  size = "medium",
  busy = false,
  disabled,
  className,
  type = "button",
  ...rest
}: ButtonProps): ReactElement {
  const classes = [styles.button, styles[tone], styles[size], className].filter(Boolean).join(" ");
  return (
    <button
      {...rest}
      type={type}
      className={classes}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    />
  );
}
