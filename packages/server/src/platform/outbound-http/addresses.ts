/** Which network addresses an untrusted URL may lead to: only those of the public internet. */
import { BlockList, isIP } from "node:net";

type Family = "ipv4" | "ipv6";

/** Networks outside of the public internet: the registries of special-purpose addresses, and mappings between IPv4 and IPv6. */
const NOT_PUBLIC: readonly [network: string, prefix: number, family: Family][] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.31.196.0", 24, "ipv4"],
  ["192.52.193.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["192.175.48.0", 24, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["240.0.0.0", 4, "ipv4"],
];

/** In IPv6, only global unicast is public, except for these reserved ranges. */
const GLOBAL_UNICAST = ["2000::", 3, "ipv6"] as const;
const NOT_PUBLIC_IPV6: readonly [network: string, prefix: number, family: Family][] = [
  // Protocol assignments, with Teredo and benchmarks; documentation; 6to4, which carries an IPv4 address; documentation.
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["2620:4f:8000::", 48, "ipv6"],
  ["3fff::", 20, "ipv6"],
];

const closed = new BlockList();
for (const [network, prefix, family] of [...NOT_PUBLIC, ...NOT_PUBLIC_IPV6]) closed.addSubnet(network, prefix, family);
const unicast = new BlockList();
unicast.addSubnet(...GLOBAL_UNICAST);

/** Refuses an address that it cannot parse. */
export function isPublicAddress(address: string): boolean {
  // The zone of a link-local address is local to this machine.
  if (address.includes("%")) return false;
  const version = isIP(address);
  if (version === 4) return !closed.check(address, "ipv4");
  return version === 6 && unicast.check(address, "ipv6") && !closed.check(address, "ipv6");
}

/** Whether a text is an IP address or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...others] = text.split("/");
  const bitsMax = isIP(address) === 6 ? 128 : 32;
  const isWhole = !text.includes("/") || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
  return isIP(address) !== 0 && isWhole && others.length === 0;
}
