/** Which time zones a customer can have. */
const listedZones: ReadonlySet<string> = new Set([...Intl.supportedValuesOf("timeZone"), "UTC"]);

/**
 * True for an IANA zone name in its usual spelling, listed itself ("Europe/Paris") or an alias of a listed zone
 * ("Asia/Kolkata"). Names without a region (CET, EST) are refused: databases disagree on what they mean.
 */
export function isTimeZone(name: string): boolean {
  if (listedZones.has(name)) return true;
  if (!/^[A-Z][A-Za-z]+\/[A-Za-z0-9_+/-]+$/.test(name)) return false;
  try {
    const resolved = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    const spelled = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
    return spelled === name && listedZones.has(resolved);
  } catch {
    return false;
  }
}
