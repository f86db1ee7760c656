/** As every client should be: 503 says that nothing was done and that it may be tried again. A machine that stands still answers so. */
const TRIES = 10;

export async function tryAgain<Answer extends { readonly status: number }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await send();
  for (let tries = 1; answer.status === 503 && tries < TRIES; tries++) answer = await send();
  return answer;
}
