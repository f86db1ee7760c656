/** The only place of the command line that knows the time of day. */
export const systemNow = (): number => Date.now();
