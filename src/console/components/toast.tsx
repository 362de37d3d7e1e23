/** Short messages in the corner, also announced to screen readers. */
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
      // A repeated message replaces the old one.
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
              aria-label="Dismiss"
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

/** Shows a message for a few seconds. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}
