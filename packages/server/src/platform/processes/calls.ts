/** Calls from a child process to its parent, over their channel of messages. */

/** A process as its child or its parent sees it. */
export type Channel = {
  send: (message: object) => unknown;
  on: (event: "message", listener: (message: unknown) => void) => unknown;
};

/** Never answered if the parent has ended: then the child ends too. */
export type Call = (method: string, argument?: unknown) => Promise<unknown>;

type Called = { called: string; id: number; argument: unknown };
type Answered = { answered: number; value: unknown };

export function callsTo(parent: Channel): Call {
  const waiting = new Map<number, (value: unknown) => void>();
  let last = 0;
  parent.on("message", (message) => {
    const { answered, value } = (message ?? {}) as Partial<Answered>;
    if (answered === undefined) return;
    waiting.get(answered)?.(value);
    waiting.delete(answered);
  });
  return (called, argument) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      parent.send({ called, id, argument } satisfies Called);
    });
}

/** Methods must not fail: there is nobody to tell. */
export function answerCalls(
  child: Channel,
  methods: Readonly<Record<string, (argument: never) => Promise<unknown>>>,
): void {
  child.on("message", async (message) => {
    const { called, id, argument } = (message ?? {}) as Partial<Called>;
    const method = called === undefined ? undefined : methods[called];
    if (method) child.send({ answered: id, value: await method(argument as never) });
  });
}
