/** Why a backup or a restore was not done, with what to do; what was there is as it was. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
  /** In kebab case, for programs. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
