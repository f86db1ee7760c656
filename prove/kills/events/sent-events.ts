/** The events of the campaign. Each is rebuilt from its number, and can be written in several ways that mean the same. */
import { createRandomFor } from "../../random.ts";

export type Property = {
  name: string;
  /** JSON, written in several ways. */
  sources: readonly string[];
  /** The one text that all of them mean. */
  canonical: string;
};

export type SentEvent = {
  subscription: string;
  transaction: string;
  code: string;
  /** Microseconds since 1970; undefined: sent without one. */
  timestamp: bigint | undefined;
  /** By name. */
  properties: readonly Property[];
};

const CODES = ["api_calls", "storage", "Überweisung"] as const;
const REGIONS = ["eu-west", "us-east", 'a "b" \\ c', "東京 🗼", ""] as const;
const SUBSCRIPTIONS_OF_A_KIND = 100;
const FIRST_SECOND = 1_790_000_000;
const SECONDS = 30 * 86_400;
const MICROSECONDS = 1_000_000;

/** Two events have one transaction id in common, under subscriptions of two kinds: they are two events all the same. */
const KINDS = ["even", "odd"] as const;

export function eventOf(seed: number, number: number): SentEvent {
  const random = createRandomFor(seed, number);
  const below = (end: number): number => Math.floor(random() * end);
  const pick = (items: readonly [string, ...string[]]): string => items[below(items.length)] ?? items[0];
  const subscription = `${KINDS[number % 2]}-${below(SUBSCRIPTIONS_OF_A_KIND)}`;
  const code = pick(CODES);
  const isTimed = random() < 0.95;
  const micros = BigInt(FIRST_SECOND + below(SECONDS)) * BigInt(MICROSECONDS) + BigInt(below(MICROSECONDS));
  const region = pick(REGIONS);
  const properties = [
    { name: "region", sources: [JSON.stringify(region)], canonical: region },
    decimalProperty("units", 1 + below(1_000_000), below(4)),
  ];
  if (random() < 0.1) properties.unshift(nestedProperty("path", below(1000)));
  return {
    subscription,
    transaction: `transaction-${number >> 1}`,
    code,
    timestamp: isTimed ? micros : undefined,
    properties,
  };
}

/** The number of the event that is stored under this key; NaN where the campaign has sent none. */
export function numberOf(subscription: string, transaction: string): number {
  const kind = KINDS.findIndex((name) => subscription.startsWith(`${name}-`));
  const match = /^transaction-(\d+)$/.exec(transaction);
  return match && kind >= 0 ? 2 * Number(match[1]) + kind : Number.NaN;
}

/** JSON of the event; `random` chooses how its values are written and in which order. */
export function writeEvent(event: SentEvent, random: () => number): string {
  const members = event.properties.map(({ name, sources }) => {
    const source = sources[Math.floor(random() * sources.length)] ?? "null";
    return `${JSON.stringify(name)}:${source}`;
  });
  // What is null is absent.
  if (random() < 0.1) members.push('"nothing":null');
  if (random() < 0.5) members.reverse();
  const timestamp = event.timestamp === undefined ? "" : `"timestamp":${writeTimestamp(event.timestamp, random)},`;
  return (
    `{"transaction_id":${JSON.stringify(event.transaction)},"external_subscription_id":"${event.subscription}",` +
    `"code":${JSON.stringify(event.code)},${timestamp}"properties":{${members}}}`
  );
}

/** An event with the same key and another body. */
export function changeEvent(event: SentEvent, random: () => number): SentEvent {
  const choice = Math.floor(random() * 3);
  if (choice === 0) return { ...event, code: `${event.code}_changed` };
  if (choice === 1 && event.timestamp !== undefined) return { ...event, timestamp: event.timestamp + 1n };
  const [first, ...rest] = event.properties;
  const changed = { name: first?.name ?? "", sources: ['"changed"'], canonical: "changed" };
  return { ...event, properties: [changed, ...rest] };
}

/** digits × 10^-places, as number and as text. */
function decimalProperty(name: string, digits: number, places: number): Property {
  const padded = String(digits).padStart(places + 1, "0");
  const whole = padded.slice(0, padded.length - places);
  const fraction = padded.slice(padded.length - places).replace(/0+$/, "");
  const canonical = fraction === "" ? whole : `${whole}.${fraction}`;
  const longer = fraction === "" ? `${whole}.0` : `${canonical}00`;
  return { name, sources: [canonical, longer, `${digits}e-${places}`, `"${canonical}"`], canonical };
}

function nestedProperty(name: string, number: number): Property {
  const canonical = `{"a":[true,null,"é"],"b":${number}}`;
  return { name, sources: [canonical, `{ "b": ${number}.0, "a": [true, null, "\\u00e9"] }`], canonical };
}

function writeTimestamp(micros: bigint, random: () => number): string {
  const digits = String(micros);
  const seconds = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return random() < 0.5 ? seconds : `"${seconds}"`;
}
