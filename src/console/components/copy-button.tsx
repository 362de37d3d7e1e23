/** Copies a text and confirms it. */
import type { ReactElement } from "react";
import { Button } from "./button.tsx";
import { useToast } from "./toast.tsx";

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied: "invite link". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps): ReactElement {
  const toast = useToast();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => toast(`Copied the ${what}`, "good"),
      () => toast(`Your browser blocked copying. Select the ${what} and copy it yourself.`, "bad"),
    );
  };
  return (
    <Button size="small" aria-label={`Copy the ${what}`} onClick={copy}>
      Copy
    </Button>
  );
}
