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

const SHOWN_MS = 6_000;
const SHOWN_MAX = 4;

export type Tone = "good" | "bad" | "plain";
type Say = (text: string, tone?: Tone) => void;

const ToastContext = createContext<Say>(() => undefined);

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const say = useCallback<Say>((text, tone = "plain") => {
    const id = nextId.current++;
    setToasts((present) => [...present.slice(1 - SHOWN_MAX), { id, text, tone }]);
    setTimeout(() => setToasts((present) => present.filter((toast) => toast.id !== id)), SHOWN_MS);
  }, []);
  const value = useMemo(() => say, [say]);
  return (
    <ToastContext value={value}>
      {children}
      <div className={styles.stack} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={styles.toast} data-tone={toast.tone}>
            {toast.text}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

/** Says something in the corner for six seconds. */
export function useSay(): Say {
  return useContext(ToastContext);
}
