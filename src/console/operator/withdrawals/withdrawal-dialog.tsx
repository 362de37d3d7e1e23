/** One withdrawal: what it is, who did each step, and the next step. */
import type { ReactElement } from "react";
import type { GetWithdrawalRequestAnswer } from "../../../client/index.ts";
import { STATE_BEFORE, WITHDRAWAL_STEPS, type WithdrawalStep } from "../../../domain/index.ts";
import { Dialog } from "../../components/dialog.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { doneOrWaits } from "../components/waits.ts";
import { useOperator } from "../session/operator-session.tsx";
import { stepSentence, termsSentences } from "./withdrawal-sentences.ts";

export interface WithdrawalDialogProps {
  readonly withdrawalId: number;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

export function WithdrawalDialog(props: WithdrawalDialogProps): ReactElement {
  const { withdrawalId, onClose, onChange } = props;
  const { client, role } = useOperator();
  const query = useQuery(`withdrawal ${withdrawalId}`, (signal) =>
    client.getWithdrawalRequest({ withdrawalId }, { signal }),
  );
  const onDone = (): void => {
    query.refresh();
    onChange();
  };
  const mayDecide = role === "treasury" || role === "administrator";
  return (
    <Dialog title={`Withdrawal ${withdrawalId}`} open onClose={onClose}>
      <QueryView what={`withdrawal ${withdrawalId}`} query={query}>
        {(withdrawal) => (
          <div className={layout.form}>
            {termsSentences(withdrawal).map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
            <ol aria-label="Steps">
              {withdrawal.steps.map((step) => (
                <li key={step.state}>{stepSentence(step)}</li>
              ))}
            </ol>
            {mayDecide ? (
              <NextSteps withdrawal={withdrawal} onDone={onDone} />
            ) : (
              <p className={layout.dim}>Your role can view withdrawals; treasury decides them.</p>
            )}
          </div>
        )}
      </QueryView>
    </Dialog>
  );
}

interface StepText {
  readonly button: string;
  readonly consequence: string;
  readonly note: "reason" | "reference";
  readonly isRequired: boolean;
}

const STEPS: Readonly<Record<WithdrawalStep, StepText>> = {
  approved: {
    button: "Approve",
    consequence: "The withdrawal can now be sent.",
    note: "reason",
    isRequired: false,
  },
  rejected: {
    button: "Reject",
    consequence: "The amount goes back to the user, and the withdrawal ends.",
    note: "reason",
    isRequired: true,
  },
  sent: {
    button: "Record as sent",
    consequence: "Record the reference first, then send.",
    note: "reference",
    isRequired: true,
  },
  done: {
    button: "Record as done",
    consequence: "The amount leaves the exchange's books, and the withdrawal ends.",
    note: "reason",
    isRequired: false,
  },
  failed: {
    button: "Record as failed",
    consequence: "The amount goes back to the user, and the withdrawal ends.",
    note: "reason",
    isRequired: true,
  },
};

interface NextStepsProps {
  readonly withdrawal: GetWithdrawalRequestAnswer;
  readonly onDone: () => void;
}

function NextSteps({ withdrawal, onDone }: NextStepsProps): ReactElement {
  const { client } = useOperator();
  const { withdrawalId } = withdrawal;
  const next = WITHDRAWAL_STEPS.filter((step) => STATE_BEFORE[step] === withdrawal.state);
  return (
    <div className={layout.ends}>
      {next.map((state) => {
        const { button, consequence, note, isRequired } = STEPS[state];
        // No state is reached twice, so that a repeated click is the same step.
        const id = `console-${state}`;
        const step = (text: string): Promise<string> =>
          doneOrWaits(
            client.setWithdrawalState({ withdrawalId, id, state, note: text }),
            `Withdrawal ${withdrawalId} is ${state}`,
          );
        return (
          <ConfirmButton
            key={state}
            {...(state === "rejected" || state === "failed" ? { tone: "danger" as const } : {})}
            asksReason={isRequired ? true : "optional"}
            reasonLabel={note === "reference" ? "External reference" : "Reason"}
            title={`${button}: withdrawal ${withdrawalId}`}
            consequence={consequence}
            confirm={button}
            act={step}
            onDone={onDone}
          >
            {button}
          </ConfirmButton>
        );
      })}
    </div>
  );
}
