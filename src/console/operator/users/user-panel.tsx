/** A user's status, and actions to change it. */
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import type { GetUserAnswer, UpdateUserInput } from "../../../client/index.ts";
import { Choice } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { FormError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { useMutation } from "../../data/mutation.ts";
import { utcTime } from "../../data/utc.ts";
import { Badge } from "../components/badge.tsx";
import { ConfirmButton, given } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

const SELF_TRADE_PREVENTIONS = [
  { value: "NONE", text: "Off" },
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
          <Figure name="KYC">{kyc ? "verified" : "not verified"}</Figure>
          <Figure name="Account type">{house ? "house" : "customer"}</Figure>
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
  "New orders, conditional orders, position closes and internal withdrawals are rejected until " +
  "you unfreeze the account. Open orders can be cancelled; positions stay open and can be " +
  "liquidated.";

function UserActions({ user, onChange }: UserPanelProps): ReactElement {
  const { client } = useOperator();
  const { uid, kyc, house } = user;
  const isFrozen = user.state === "frozen";
  const update = async (change: Omit<UpdateUserInput, "uid">, message: string): Promise<string> => {
    await client.updateUser({ uid, ...change });
    onChange();
    return message;
  };
  const freezing = isFrozen ? `Unfreeze user ${uid}` : `Freeze user ${uid}`;
  const verifying = kyc ? `Revoke KYC of user ${uid}` : `Verify KYC of user ${uid}`;
  const housing = house ? `Mark user ${uid} as customer` : `Mark user ${uid} as house`;
  return (
    <>
      <ConfirmButton
        tone={isFrozen ? "plain" : "danger"}
        title={freezing}
        consequence={isFrozen ? "The user can place orders and withdraw again." : FREEZING}
        confirm={freezing}
        asksReason={isFrozen ? "optional" : true}
        act={(reason) =>
          isFrozen
            ? update({ state: "active", ...given(reason) }, `User ${uid} unfrozen`)
            : update({ state: "frozen", ...given(reason) }, `User ${uid} frozen`)
        }
      >
        {isFrozen ? "Unfreeze" : "Freeze"}
      </ConfirmButton>
      <ConfirmButton
        title={verifying}
        consequence={
          kyc
            ? "The user becomes unverified; affiliates see this."
            : "The user becomes verified; affiliates see this."
        }
        confirm={verifying}
        act={() => update({ kyc: !kyc }, `KYC of user ${uid} ${kyc ? "revoked" : "verified"}`)}
      >
        {kyc ? "Revoke KYC" : "Verify KYC"}
      </ConfirmButton>
      <ConfirmButton
        title={housing}
        consequence={
          house
            ? "The user's fills earn commissions from now on, like any customer's."
            : "The account trades for the exchange: its fills earn no commissions from now on."
        }
        confirm={housing}
        act={() => update({ house: !house }, `User ${uid} updated`)}
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
      return `Self-trade prevention of user ${uid} saved`;
    });
    if (done) onChange();
    else setValue(user.selfTradePrevention);
  };
  return (
    <div className={layout.inline}>
      <Choice
        label="Self-trade prevention"
        value={value}
        options={SELF_TRADE_PREVENTIONS}
        disabled={busy}
        onValue={(chosen) => void change(chosen)}
      />
      <FormError error={error} />
    </div>
  );
}
