/** Which mails leave this installation. Data of a sandbox is often copied from real life: nobody is written to by accident. */

export type MailRules = {
  /** Whether there is a server to send through. */
  isOn: boolean;
  /** Addresses, or domains as `@example.com`, that sandbox organizations may write to. */
  sandboxRecipients: readonly string[];
};

type Addressed = { recipients: readonly string[]; suppressedBecause: string | null };

export function withheld(
  { isOn, sandboxRecipients }: MailRules,
  { is_sandbox: isSandbox }: { is_sandbox: boolean },
  addresses: readonly string[],
): Addressed {
  if (!isOn) return { recipients: addresses, suppressedBecause: "mail is off in this installation" };
  if (!isSandbox) return { recipients: addresses, suppressedBecause: null };
  const allowed = addresses.filter((address) => isAllowed(address.toLowerCase(), sandboxRecipients));
  if (allowed.length > 0) return { recipients: allowed, suppressedBecause: null };
  return { recipients: addresses, suppressedBecause: "a sandbox organization may not write to this address" };
}

const isAllowed = (address: string, allowed: readonly string[]): boolean =>
  allowed.some((one) => (one.startsWith("@") ? address.endsWith(one.toLowerCase()) : address === one.toLowerCase()));
