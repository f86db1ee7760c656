/** The only place of the client that knows the time of day. */
export const systemNow = (): number => Date.now();
