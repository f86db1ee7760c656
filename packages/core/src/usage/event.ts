/** An accepted usage event, as far as quantities depend on it. */
export type UsageEvent = {
  readonly at: Temporal.Instant;
  /** The order of acceptance. It decides between events of the same instant. */
  readonly position: bigint;
  /** Property → canonical text (see canonicalText). A property that is null is absent. */
  readonly properties: Readonly<Record<string, string>>;
};

/** The text of a property, or undefined if the event has none. A name like "constructor" matches nothing inherited. */
export function propertyOf({ properties }: Pick<UsageEvent, "properties">, name: string): string | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** By time; at the same instant, by order of acceptance. */
export function byTime(one: UsageEvent, other: UsageEvent): number {
  return (
    Temporal.Instant.compare(one.at, other.at) ||
    Number(one.position > other.position) - Number(one.position < other.position)
  );
}
