/** Every setting, read once from the environment and a file `.env`. The only place that reads them. */
import { existsSync } from "node:fs";

if (existsSync(".env")) process.loadEnvFile();

type Setting<T> = {
  description: string;
  example: string;
  /** Text as it would stand in the environment; absent means the setting must be given. */
  default?: string;
  parse: (text: string) => T | Mistake;
};
type Mistake = { mistake: string };

const text = (value: string): string => value;
const integer =
  (min: number, max: number) =>
  (value: string): number | Mistake => {
    const number = Number(value);
    const isFine = /^\d{1,9}$/.test(value) && number >= min && number <= max;
    return isFine ? number : { mistake: `must be a whole number from ${min} to ${max}` };
  };
const postgresUrl = (value: string): string | Mistake =>
  /^postgres(ql)?:\/\/\S+$/.test(value) ? value : { mistake: "must begin with postgres://" };
const oneOf =
  (...values: string[]) =>
  (value: string): string | Mistake =>
    values.includes(value) ? value : { mistake: `must be one of ${values.join(", ")}` };

export const SETTINGS = {
  DATABASE_URL: {
    description:
      "The Postgres database (15 or later). `npm run dev` and the sandbox start one of their own without it.",
    example: "postgres://tallystick@127.0.0.1:5432/tallystick",
    parse: postgresUrl,
  },
  HOST: { description: "Address to listen on.", example: "0.0.0.0", default: "127.0.0.1", parse: text },
  PORT: {
    description: "Port to listen on; 0 takes a free one.",
    example: "3000",
    default: "3000",
    parse: integer(0, 65_535),
  },
  LOG_LEVEL: {
    description: "How much is logged, as JSON lines on stderr.",
    example: "debug",
    default: "info",
    parse: oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
  },
  DATABASE_CONNECTIONS: {
    description: "Connections that requests of one process may hold; its workers hold about as many again.",
    example: "20",
    default: "10",
    parse: integer(1, 500),
  },
  WORKER_CONCURRENCY: {
    description: "How many due instants, messages and jobs a worker process handles at once, of each kind.",
    example: "8",
    default: "4",
    parse: integer(1, 64),
  },
  SETTLE_DELAY_SECONDS: {
    description:
      "How long after a period's end its billing starts, so that usage sent in the last seconds is in. Test clocks do not wait.",
    example: "600",
    default: "600",
    parse: integer(0, 86_400),
  },
  RATE_LIMIT_EVENTS: {
    description:
      "Ingestion requests a second and API key, per process; 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "500",
    default: "500",
    parse: integer(0, 1_000_000),
  },
  RATE_LIMIT_USAGE: {
    description:
      "Current usage requests a second and API key, per process; 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "200",
    default: "200",
    parse: integer(0, 1_000_000),
  },
  RATE_LIMIT_OTHER: {
    description:
      "All other requests a second and API key, per process; 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "50",
    default: "50",
    parse: integer(0, 1_000_000),
  },
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;
export type Config = { readonly [Name in keyof Settings]: Exclude<ReturnType<Settings[Name]["parse"]>, Mistake> };

/** Throws with every mistake at once, each with its mend. */
export function readConfig(overrides: Partial<Record<keyof Settings, string>> = {}): Config {
  const mistakes: string[] = [];
  const values = Object.entries(SETTINGS).map(([name, setting]: [string, Setting<unknown>]) => {
    const given = overrides[name as keyof Settings] ?? process.env[name] ?? setting.default;
    const value = given === undefined || given === "" ? { mistake: "is not set" } : setting.parse(given);
    if (isMistake(value))
      mistakes.push(`${name} ${value.mistake}, for example ${name}=${setting.example}\n    ${setting.description}`);
    return [name, value];
  });
  if (mistakes.length > 0) throw new Error(`The configuration is not complete:\n  ${mistakes.join("\n  ")}`);
  return Object.freeze(Object.fromEntries(values));
}

/** Where a database is optional: undefined means that the caller starts one. */
export const givenDatabaseUrl = (): string | undefined => process.env.DATABASE_URL || undefined;

/** Where nobody needs protection from a caller: development, the sandbox, tests. */
export const NO_RATE_LIMITS = { RATE_LIMIT_EVENTS: "0", RATE_LIMIT_USAGE: "0", RATE_LIMIT_OTHER: "0" } as const;

/** npm sets this for every script, and puts a shell between itself and us. */
export const isRunByNpm = (): boolean => process.env.npm_lifecycle_event !== undefined;

/** For a process that we start: what we were given, and what we add. */
export const childEnvironment = (added: Partial<Record<keyof Settings, string>>) => ({ ...process.env, ...added });

const isMistake = (value: unknown): value is Mistake =>
  typeof value === "object" && value !== null && "mistake" in value;
