/** Who a user is, and what the account may do. */
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import type { GetUserAnswer, UpdateUserInput } from "../../../client/index.ts";
import { Choice } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { FormError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { useMutation } from "../../data/mutation.ts";
import { Badge } from "../components/badge.tsx";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { utcTime } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

const SELF_TRADE_PREVENTIONS = [
  { value: "NONE", text: "Own orders may meet" },
  { value: "EXPIRE_TAKER", text: "Expire the taker" },
  { value: "EXPIRE_MAKER", text: "Expire the maker" },
  { value: "EXPIRE_BOTH", text: "Expire both" },
] as const;

export interface UserPanelProps {
  readonly user: GetUserAnswer;
  readonly onChange: () => void;
}

export function UserPanel({ user, onChange }: UserPanelProps): ReactElement {
  const { uid, state, kyc, house, inviteCode, inviterUid, registeredAt } = user;
  const title = (
    <>
      User {uid} <Badge tone={state === "frozen" ? "bad" : "good"}>{state}</Badge>
    </>
  );
  return (
    <Panel title={title} actions={<UserActions user={user} onChange={onChange} />}>
      <div className={layout.form}>
        <Figures label="User" shape="line">
          <Figure name="KYC">{kyc ? "done" : "not done"}</Figure>
          <Figure name="Account of">{house ? "the house" : "a customer"}</Figure>
          <Figure name="Invite code">{inviteCode}</Figure>
          <Figure name="Invited by">
            {inviterUid === null ? (
              "nobody"
            ) : (
              <Link href={`/users/${inviterUid}`}>{inviterUid}</Link>
            )}
          </Figure>
          <Figure name="Registered">{utcTime(registeredAt)}</Figure>
        </Figures>
        <SelfTrade user={user} onChange={onChange} />
      </div>
    </Panel>
  );
}

const FREEZING =
  "New orders, conditional orders, closing of positions and internal withdrawals are refused " +
  "until you unfreeze. What rests may be cancelled; positions stay open and may be liquidated.";

function UserActions({ user, onChange }: UserPanelProps): ReactElement {
  const { client } = useOperator();
  const { uid, kyc, house } = user;
  const isFrozen = user.state === "frozen";
  const update = async (change: Omit<UpdateUserInput, "uid">, said: string): Promise<string> => {
    await client.updateUser({ uid, ...change });
    onChange();
    return said;
  };
  const freezing = isFrozen ? `Unfreeze user ${uid}` : `Freeze user ${uid}`;
  const verifying = kyc ? `Withdraw KYC of user ${uid}` : `Mark KYC of user ${uid} as done`;
  const housing = house ? `Mark user ${uid} as customer` : `Mark user ${uid} as house`;
  return (
    <>
      <ConfirmButton
        tone={isFrozen ? "plain" : "danger"}
        title={freezing}
        consequence={isFrozen ? "The user may place orders and withdraw again." : FREEZING}
        confirm={freezing}
        act={() =>
          isFrozen
            ? update({ state: "active" }, `User ${uid} is active again.`)
            : update({ state: "frozen" }, `User ${uid} is frozen.`)
        }
      >
        {isFrozen ? "Unfreeze" : "Freeze"}
      </ConfirmButton>
      <ConfirmButton
        title={verifying}
        consequence={
          kyc
            ? "The user counts as not verified; affiliates see it so."
            : "The user counts as verified from now on; affiliates see it so."
        }
        confirm={verifying}
        act={() => update({ kyc: !kyc }, `KYC of user ${uid} is ${kyc ? "open" : "done"}.`)}
      >
        {kyc ? "Withdraw KYC" : "Mark KYC as done"}
      </ConfirmButton>
      <ConfirmButton
        title={housing}
        consequence={
          house
            ? "Fills from now on earn commission like those of any customer."
            : "The account trades for the venue: fills from now on earn nobody a commission."
        }
        confirm={housing}
        act={() => update({ house: !house }, `User ${uid} was changed.`)}
      >
        {house ? "Mark as customer" : "Mark as house"}
      </ConfirmButton>
    </>
  );
}

function SelfTrade({ user, onChange }: UserPanelProps): ReactElement {
  const { client } = useOperator();
  const { uid } = user;
  const [value, setValue] = useState(user.selfTradePrevention);
  const { busy, error, run } = useMutation();
  const change = async (selfTradePrevention: typeof value): Promise<void> => {
    setValue(selfTradePrevention);
    const done = await run(async () => {
      await client.updateUser({ uid, selfTradePrevention });
      return `User ${uid}: own orders that meet are handled so from now on.`;
    });
    if (done) onChange();
    else setValue(user.selfTradePrevention);
  };
  return (
    <div className={layout.inline}>
      <Choice
        label="When own orders meet"
        value={value}
        options={SELF_TRADE_PREVENTIONS}
        disabled={busy}
        onValue={(chosen) => void change(chosen)}
      />
      <FormError error={error} />
    </div>
  );
}
