/** Retries on 503, as every client should: nothing was done, and the request can be repeated. A stalled machine answers 503. */
const TRIES = 10;

export async function tryAgain<Answer extends { readonly status: number }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await send();
  for (let tries = 1; answer.status === 503 && tries < TRIES; tries++) answer = await send();
  return answer;
}
