/** A list of the API: `await` gives one page, `for await` gives every record. */

export type Page<Item, Meta> = {
  items: Item[];
  meta: Meta;
};

type Query = Readonly<Record<string, unknown>>;
type Next = { next_cursor?: string | null; next_page?: number | null };

export class List<Item, Meta = unknown> implements PromiseLike<Page<Item, Meta>>, AsyncIterable<Item> {
  readonly #read: (query: Query) => Promise<Page<Item, Meta>>;
  readonly #query: Query;
  #first: Promise<Page<Item, Meta>> | undefined;

  constructor(read: (query: Query) => Promise<Page<Item, Meta>>, query: Query) {
    this.#read = read;
    this.#query = query;
  }

  /** Nothing is requested before somebody waits for it. */
  #page(): Promise<Page<Item, Meta>> {
    this.#first ??= this.#read(this.#query);
    return this.#first;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list can be awaited
  then<Result = Page<Item, Meta>, Failure = never>(
    onRead?: ((page: Page<Item, Meta>) => Result | PromiseLike<Result>) | null,
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#page().then(onRead, onFailure);
  }

  /** Follows the cursor, so that records which are added meanwhile do not shift the pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = await this.#page();
    for (;;) {
      yield* page.items;
      const { next_cursor: cursor, next_page: number } = page.meta as Next;
      if (!cursor && !number) return;
      const place = cursor ? { page: undefined, cursor } : { page: number };
      page = await this.#read({ ...this.#query, ...place });
    }
  }
}
