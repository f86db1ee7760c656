/** Runs the short form of a campaign, and keeps what it says: that is worth reading where something is broken. */
import type { CampaignOptions, Outcome } from "../../prove/campaign.ts";

export const LONG = { timeout: 600_000 };

/** A control is right as soon as it has found the fault once; that the few kills or races it has hit the fault is chance. */
export const CONTROL = { ...LONG, retry: 3 };

export const shortFormOf =
  <Options extends CampaignOptions>(
    run: (options: Options) => Promise<Outcome>,
    own: { count: number } & Partial<Options>,
  ) =>
  async (added: Partial<Options>): Promise<Outcome & { said: string[] }> => {
    const said: string[] = [];
    const usual: Omit<CampaignOptions, "count"> = {
      seed: undefined,
      isNaive: false,
      dataFolder: undefined,
      signal: new AbortController().signal,
      say: (line) => said.push(line),
    };
    // What campaigns have of their own beside the usual options may be left out.
    const options = { ...usual, ...own, ...added } as unknown as Options;
    return { ...(await run(options)), said };
  };
