/**
 * The structured log: JSON lines on standard error. Standard output carries only the ready line.
 */
import { destination, type Logger, pino, stdSerializers } from "pino";

export type Log = Logger;

/** Fields that could contain a secret are removed from every log line. */
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
      // JSON.stringify shows nothing of an error without a serializer.
      serializers: { error: stdSerializers.err },
    },
    destination({ dest: 2, sync: true }),
  );
}
