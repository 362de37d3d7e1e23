/** Short news of what was done, in the corner and to screen readers. */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
} from "react";
import styles from "./toast.module.css";

const SHOWN_MS: Readonly<Record<Tone, number>> = { good: 4_000, plain: 6_000, bad: 8_000 };
const SHOWN_MAX = 3;

export type Tone = "good" | "bad" | "plain";
type ShowToast = (text: string, tone?: Tone) => void;

const ToastContext = createContext<ShowToast>(() => undefined);

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const drop = useCallback(
    (id: number) => setToasts((present) => present.filter((toast) => toast.id !== id)),
    [],
  );
  const toast = useCallback<ShowToast>(
    (text, tone = "plain") => {
      const id = nextId.current++;
      // The same news again takes the place of the old: a hand that presses often fills no screen.
      setToasts((present) => [
        ...present.filter((toast) => toast.text !== text).slice(1 - SHOWN_MAX),
        { id, text, tone },
      ]);
      setTimeout(() => drop(id), SHOWN_MS[tone]);
    },
    [drop],
  );
  const value = useMemo(() => toast, [toast]);
  return (
    <ToastContext value={value}>
      {children}
      <div className={styles.stack} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={styles.toast} data-tone={toast.tone}>
            <span>{toast.text}</span>
            <button
              type="button"
              className={styles.close}
              aria-label="Put this message away"
              onClick={() => drop(toast.id)}
            >
              ✕
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

/** Says something in the corner for some seconds. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}
