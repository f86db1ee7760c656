/** Just enough of the Postgres protocol to see messages pass by: type and content, whatever pieces they arrive in. */

type Message = { type: string; content: Buffer };

const LENGTH_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** Returns what a piece completes of the requested types; the others, parameters and rows, are passed over. */
function createMessageReader(expected: string, isClient: boolean): (piece: Buffer) => Message[] {
  // A client's first message has no type.
  let typeBytes = isClient ? 0 : 1;
  let rest: Buffer = NOTHING;
  let toSkip = 0;
  return (piece) => {
    const unread = piece.subarray(toSkip);
    toSkip -= piece.length - unread.length;
    rest = rest.length === 0 ? unread : Buffer.concat([rest, unread]);
    const messages: Message[] = [];
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + rest.readUInt32BE(typeBytes);
      const type = typeBytes === 0 ? "" : String.fromCharCode(rest[0] ?? 0);
      const isRequested = type !== "" && expected.includes(type);
      if (rest.length < end && isRequested) return messages;
      if (isRequested) messages.push({ type, content: rest.subarray(typeBytes + LENGTH_BYTES, end) });
      toSkip = Math.max(0, end - rest.length);
      rest = rest.subarray(end);
      typeBytes = 1;
    }
    return messages;
  };
}

const COMMIT = /^commit\b/i;
const STORES = "ingest_events(";

/** Follows one connection, and knows when a statement that stores events waits for the reply to its commit. */
export function watchCommits() {
  const readClient = createMessageReader("PBQ", true);
  const readServer = createMessageReader("EZ", false);
  /** Names of prepared statements that store: from the second time on, only the name is sent. */
  const storing = new Set<string>();
  let isInTransaction = false;
  let hasStored = false;
  let isCommitting = false;
  let hasFailed = false;

  return {
    fromClient: (piece: Buffer): void => {
      for (const { type, content } of readClient(piece)) {
        const [first, second] = firstTexts(content);
        const text = type === "P" ? second : first;
        if (type === "P" && text.includes(STORES)) storing.add(first);
        else if (type === "P") storing.delete(first);
        if (type === "B" ? storing.has(second) : text.includes(STORES)) hasStored = true;
        isCommitting = hasStored && (!isInTransaction || COMMIT.test(text));
        hasFailed = false;
      }
    },
    /** True: with this piece the server says that events are committed. */
    fromServer: (piece: Buffer): boolean => {
      let isCommitted = false;
      for (const { type, content } of readServer(piece)) {
        if (type === "E") hasFailed = true;
        if (type !== "Z") continue;
        isInTransaction = content.toString("latin1") !== "I";
        isCommitted = isCommitting && !hasFailed && !isInTransaction;
        if (!isInTransaction) hasStored = false;
        isCommitting = false;
      }
      return isCommitted;
    },
    isCommitting: (): boolean => isCommitting,
  };
}

/** Of a Parse: the name of the statement, and its text. Of a Bind: the portal, and the name of the statement. Of a Query: its text. */
function firstTexts(content: Buffer): [string, string] {
  const end = content.indexOf(0);
  return [content.toString("utf8", 0, end), content.toString("utf8", end + 1, content.indexOf(0, end + 1))];
}
