/** How often a password may be tried: counted in the database, over all processes, before any work is done for it. */
import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { refusal } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { countAttempt } from "./store.ts";

const MINUTE_S = 60;
const HOUR_S = 3_600;
/** However slowly they come: OWASP ASVS 2.2.1. */
const OF_EMAIL_PER_HOUR = 100;

/** Attempts per minute; 0 means no limit, also not per hour. */
export type AttemptLimits = { email: number; network: number };

export type Attempts = {
  /** Counts an attempt from an address. */
  countNetwork: (address: string) => Promise<void>;
  /** Counts an attempt for a mail address, whether or not a person has it. */
  countEmail: (email: string, purpose?: "password" | "reset" | "factor" | "organization") => Promise<void>;
};

type Deps = { dispatcherDb: Database; clock: Clock; limits: AttemptLimits };

export function createAttempts({ dispatcherDb, clock, limits }: Deps): Attempts {
  const count = async (subject: string, max: number, seconds = MINUTE_S): Promise<void> => {
    const now = clock.now();
    const digest = createHash("sha256").update(subject).digest();
    if (await countAttempt(dispatcherDb, digest, { max, now, since: now.subtract({ seconds }) })) return;
    const time = seconds === HOUR_S ? "hour" : "minute";
    throw refusal(429, "too_many_attempts", {
      message: `There were too many attempts in the last ${time}. Wait, and try again.`,
      retryAfterSeconds: seconds,
    });
  };
  return {
    countNetwork: async (address) => {
      if (limits.network > 0) await count(`network ${networkOf(address)}`, limits.network);
    },
    countEmail: async (email, purpose = "password") => {
      if (limits.email === 0) return;
      await count(`${purpose} ${email}`, limits.email);
      if (purpose === "password") await count(`hour of ${email}`, OF_EMAIL_PER_HOUR, HOUR_S);
    },
  };
}

/** One IPv4 address is often a whole office; of IPv6, one customer has at least a /64. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ""));
  return `${groups.slice(0, 4).join(":")}::/64`;
}
