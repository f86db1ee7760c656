/** An accepted usage event, as far as quantities depend on it. */
export type UsageEvent = {
  readonly at: Temporal.Instant;
  /** Order of acceptance. Decides between events of one instant. */
  readonly position: bigint;
  /** Property → canonical text (see canonicalText). A property that is null is absent. */
  readonly properties: Readonly<Record<string, string>>;
};

/** The text of a property, or undefined where the event has none. A name like "constructor" finds nothing by accident. */
export function propertyOf({ properties }: Pick<UsageEvent, "properties">, name: string): string | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Order of time; of one instant, order of acceptance. */
export function byTime(one: UsageEvent, other: UsageEvent): number {
  return (
    Temporal.Instant.compare(one.at, other.at) ||
    Number(one.position > other.position) - Number(one.position < other.position)
  );
}
