/** Tells a caller, beside the answer, that a part of an accepted request has no effect yet. */

/** Any reply, whatever its route. */
type Headers = { getHeader(name: string): unknown; header(name: string, value: string): unknown };

export function warn(reply: Headers, text: string): void {
  // Text of a caller may be in it, and a header has only printable ASCII.
  const quoted = text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&");
  const earlier = reply.getHeader("Warning");
  reply.header("Warning", `${earlier === undefined ? "" : `${earlier}, `}299 - "${quoted}"`);
}
