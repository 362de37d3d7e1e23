/** The invite code, its link and its QR code. */
import { type ReactElement, useMemo } from "react";
import { encode } from "uqr";
import { CopyButton } from "../../components/copy-button.tsx";
import { Panel } from "../../components/panel.tsx";
import styles from "./invite-panel.module.css";
import { qrPath } from "./qr-path.ts";

/** Light squares around the code, which cameras need. */
const QUIET_ZONE = 4;

export function InvitePanel({ inviteCode }: { readonly inviteCode: string }): ReactElement {
  const link = `${location.origin}/?invite=${encodeURIComponent(inviteCode)}`;
  return (
    <Panel title="Invite">
      <div className={styles.invite}>
        <QrCode text={link} />
        <dl className={styles.texts}>
          <div>
            <dt>Code</dt>
            <dd>
              <code>{inviteCode}</code>
              <CopyButton text={inviteCode} what="invite code" />
            </dd>
          </div>
          <div>
            <dt>Link</dt>
            <dd>
              <code>{link}</code>
              <CopyButton text={link} what="invite link" />
            </dd>
          </div>
        </dl>
      </div>
      <p className={styles.hint}>
        Anyone who registers with this code is attributed to you permanently. The operator registers
        users and passes the code as <code>inviteCode</code>.
      </p>
    </Panel>
  );
}

function QrCode({ text }: { readonly text: string }): ReactElement {
  const { data, size } = useMemo(() => encode(text, { border: QUIET_ZONE }), [text]);
  return (
    <svg
      className={styles.code}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the invite link"
      shapeRendering="crispEdges"
    >
      <path d={qrPath(data)} />
    </svg>
  );
}
