/** Decides which emails leave this installation. Sandbox data is often copied from production, so its recipients are restricted. */

export type MailRules = {
  /** Whether a mail server is configured. */
  isOn: boolean;
  /** Addresses or domains (`@example.com`) that sandbox organizations may send to. */
  sandboxRecipients: readonly string[];
};

type Addressed = { recipients: readonly string[]; suppressedBecause: string | null };

export function withheld(
  { isOn, sandboxRecipients }: MailRules,
  { is_sandbox: isSandbox }: { is_sandbox: boolean },
  addresses: readonly string[],
): Addressed {
  if (!isOn) return { recipients: addresses, suppressedBecause: "email is off in this installation" };
  if (!isSandbox) return { recipients: addresses, suppressedBecause: null };
  const allowed = addresses.filter((address) => isAllowed(address.toLowerCase(), sandboxRecipients));
  if (allowed.length > 0) return { recipients: allowed, suppressedBecause: null };
  return { recipients: addresses, suppressedBecause: "a sandbox organization may not send to this address" };
}

const isAllowed = (address: string, allowed: readonly string[]): boolean =>
  allowed.some((one) => (one.startsWith("@") ? address.endsWith(one.toLowerCase()) : address === one.toLowerCase()));
