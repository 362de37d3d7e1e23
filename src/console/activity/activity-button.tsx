/** Opens the list of what happened; shows how much of it is new. */
import { type ReactElement, useState } from "react";
import { AlertList } from "../alerts/alert-list.tsx";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Switch } from "../components/field.tsx";
import { Notice } from "../components/panel.tsx";
import { useLive } from "../data/live-value.ts";
import { localDayTime } from "../data/local-time.ts";
import styles from "./activity-button.module.css";
import { type ActivityLog, type LoggedActivity, unreadCount } from "./activity-log.ts";
import { useActivity } from "./activity-provider.tsx";
import {
  canNotify,
  setNotifications,
  setSound,
  wantsNotifications,
  wantsSound,
} from "./announce.ts";

export function ActivityButton(): ReactElement | null {
  const { log } = useActivity();
  return log === null ? null : <LogButton log={log} />;
}

function LogButton({ log }: { readonly log: ActivityLog }): ReactElement {
  const present = useLive(log.live);
  const [openedReadId, setOpenedReadId] = useState<number | null>(null);
  const unread = unreadCount(present);
  const name = unread === 0 ? "Activity" : `Activity, ${unread} new`;
  const open = (): void => {
    setOpenedReadId(present.readId);
    log.markRead();
  };
  const close = (): void => {
    setOpenedReadId(null);
    log.markRead();
  };
  return (
    <>
      <Button tone="quiet" size="small" aria-label={name} title={name} onClick={open}>
        <Bell />
        {unread === 0 ? null : <span className={styles.badge}>{Math.min(unread, UNREAD_MAX)}</span>}
      </Button>
      <Dialog title="Activity" open={openedReadId !== null} onClose={close}>
        <Announcements />
        <AlertList />
        <Entries entries={present.entries} newAfterId={openedReadId ?? 0} />
      </Dialog>
    </>
  );
}

interface EntriesProps {
  readonly entries: readonly LoggedActivity[];
  readonly newAfterId: number;
}

/** A component of its own: while the dialog is closed, an account that trades renders none. */
function Entries({ entries, newAfterId }: EntriesProps): ReactElement {
  if (entries.length === 0) {
    return (
      <Notice kind="empty">
        Nothing yet. Fills, triggered stops, liquidations, funding, price alerts and halted markets
        are listed here.
      </Notice>
    );
  }
  return (
    <ol className={styles.list}>
      {entries.map(({ id, atMs, text, tone }) => (
        <li key={id} data-tone={tone} data-new={id > newAfterId || undefined}>
          <time dateTime={new Date(atMs).toISOString()}>{localDayTime(atMs)}</time>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

const UNREAD_MAX = 99;

function Bell(): ReactElement {
  return (
    <svg className={styles.bell} viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 2a4 4 0 0 0-4 4v3l-1.3 2.2h10.6L12 9V6a4 4 0 0 0-4-4Z" />
      <path d="M6.5 12.5a1.5 1.5 0 0 0 3 0" />
    </svg>
  );
}

function Announcements(): ReactElement {
  const [sound, setSoundShown] = useState(wantsSound);
  const [notifications, setNotificationsShown] = useState(wantsNotifications);
  const changeSound = (on: boolean): void => {
    setSound(on);
    setSoundShown(on);
  };
  const changeNotifications = async (on: boolean): Promise<void> => {
    setNotificationsShown(await setNotifications(on));
  };
  return (
    <div className={styles.announcements}>
      <Switch label="Sound" checked={sound} onChange={changeSound} />
      {canNotify() ? (
        <Switch
          label="Notify me while this page is hidden"
          checked={notifications}
          onChange={(on) => void changeNotifications(on)}
        />
      ) : null}
    </div>
  );
}
