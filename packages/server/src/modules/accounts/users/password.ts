/** Passwords by argon2id of Node itself, with 19 MiB and two passes. A hash names its parameters, so that they can grow. */
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { refusal } from "../../../http/problem.ts";
import { createTurns } from "../../../platform/processes/turns.ts";

const derive = promisify(argon2);
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;
/** A hash keeps a core busy for about 60 ms. In each process one is made at a time, with a rest as long after it: a flood of guesses leaves half of a core. */
const AT_ONCE = 1;
const WAITING_MAX = 20;

export type Passwords = {
  hash: (password: string) => Promise<string>;
  /** Does the same work if there is nothing to compare with. */
  matches: (password: string, stored: string | null | undefined) => Promise<boolean>;
};

export function createPasswords(): Passwords {
  const turns = createTurns({ atOnce: AT_ONCE, perGroup: AT_ONCE, waitingMax: WAITING_MAX });
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!(await turns.take("passwords"))) throw refusal(503, undefined, { retryAfterSeconds: 2 });
    const begun = performance.now();
    try {
      return await work();
    } finally {
      setTimeout(() => turns.leave("passwords"), performance.now() - begun).unref();
    }
  };
  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    matches: (password, stored) => inTurn(() => isPassword(password, stored)),
  };
}

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { memory, passes, parallelism } = PARAMETERS;
  const tag = await run(password, salt, PARAMETERS);
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt.toString("base64url")}$${tag.toString("base64url")}`;
}

async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const { salt, tag, parameters } = parse(stored ?? NO_HASH);
  const isSame = timingSafeEqual(await run(password, salt, parameters), tag);
  return isSame && stored !== null && stored !== undefined;
}

const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/;

function parse(stored: string) {
  const [, memory, passes, parallelism, salt, tag] = FORM.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) throw new Error("a stored password is not an argon2id hash");
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { salt: Buffer.from(salt, "base64url"), tag: Buffer.from(tag, "base64url"), parameters };
}

/** The same text can be typed in several ways, which NFKC makes one. */
const run = (password: string, nonce: Buffer, parameters: typeof PARAMETERS): Promise<Buffer> =>
  derive("argon2id", { message: Buffer.from(password.normalize("NFKC")), nonce, ...parameters, tagLength: TAG_LENGTH });

/** Compared with if there is no password. */
const NO_HASH = `$argon2id$v=19$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=1$${Buffer.alloc(16).toString("base64url")}$${Buffer.alloc(TAG_LENGTH).toString("base64url")}`;
