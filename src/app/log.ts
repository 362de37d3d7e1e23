/**
 * The structured log: JSON lines on standard error, so that standard output keeps the ready line
 * alone.
 */
import { destination, type Logger, pino, stdSerializers } from "pino";

export type Log = Logger;

/** Fields that could carry a secret are cut out, whoever logs them. */
const SECRET_FIELDS = [
  "secret",
  "passphrase",
  "token",
  "*.secret",
  "*.passphrase",
  "*.token",
  'headers["access-sign"]',
  'headers["access-passphrase"]',
  "headers.authorization",
];

export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_FIELDS, censor: "[secret]" },
      // An error has no fields of its own that JSON would show.
      serializers: { error: stdSerializers.err },
    },
    destination({ dest: 2, sync: true }),
  );
}
