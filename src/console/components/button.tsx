/** Buttons: one shape, a tone for what they mean. */
import type { ButtonHTMLAttributes, ReactElement } from "react";
import styles from "./button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly tone?: "plain" | "accent" | "buy" | "sell" | "danger" | "quiet";
  readonly size?: "small" | "medium" | "large";
  /**
   * In progress: ignores clicks and tells screen readers. Unlike a disabled button it keeps the
   * focus.
   */
  readonly busy?: boolean;
}

export function Button({
  tone = "plain",
  size = "medium",
  busy = false,
  disabled,
  className,
  type = "button",
  onClick,
  ...rest
}: ButtonProps): ReactElement {
  const classes = [styles.button, styles[tone], styles[size], className].filter(Boolean).join(" ");
  return (
    <button
      {...rest}
      type={type}
      className={classes}
      disabled={disabled}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
    />
  );
}
