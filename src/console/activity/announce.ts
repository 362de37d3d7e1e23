/** Sound and browser notifications, both off until the user switches them on. */
const SOUND = "rialto.sound";
const NOTIFICATIONS = "rialto.notifications";

export const wantsSound = (): boolean => localStorage.getItem(SOUND) === "on";

export function setSound(on: boolean): void {
  localStorage.setItem(SOUND, on ? "on" : "off");
  if (on) playSound("good");
}

export const canNotify = (): boolean => "Notification" in globalThis;

export function wantsNotifications(): boolean {
  const isWanted = localStorage.getItem(NOTIFICATIONS) === "on";
  return isWanted && canNotify() && Notification.permission === "granted";
}

/** Asks the browser's permission; false when it is refused. */
export async function setNotifications(on: boolean): Promise<boolean> {
  const granted = on && canNotify() && (await Notification.requestPermission()) === "granted";
  localStorage.setItem(NOTIFICATIONS, granted ? "on" : "off");
  return granted;
}

/** Only while the page is hidden: otherwise the message stands on it. */
export function notify(text: string): void {
  if (document.hidden && wantsNotifications()) new Notification("Rialto", { body: text });
}

const SOUND_S = 0.18;
const VOLUME = 0.08;
/** Hertz: a rising and a falling pair. */
const TONES = { good: [660, 880], plain: [660, 660], bad: [440, 330] } as const;

let audio: AudioContext | null = null;

export function playSound(tone: keyof typeof TONES): void {
  audio ??= new AudioContext();
  const volume = new GainNode(audio, { gain: VOLUME });
  volume.connect(audio.destination);
  for (const [i, frequency] of TONES[tone].entries()) {
    const voice = new OscillatorNode(audio, { frequency });
    voice.connect(volume);
    voice.start(audio.currentTime + i * SOUND_S);
    voice.stop(audio.currentTime + (i + 1) * SOUND_S);
  }
}
