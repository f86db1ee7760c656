/** The real engine in this process, from npm's `chdb`: a few connections to one data directory, each for one statement at a time. */
import { Session } from "chdb";
import { quote } from "./bind-parameters.ts";

export type Statement = {
  readonly sql: string;
  readonly format: string;
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  /** The rows of an insert, in the format that the statement names. */
  readonly rows: Buffer | null;
};

export type Engine = { run: (statement: Statement) => Promise<Uint8Array>; close: () => Promise<void> };

/** Each connection uses a thread of Node's pool of four while it works. */
const CONNECTIONS = 4;

export function openEngine(path: string): Engine {
  const all = Array.from({ length: CONNECTIONS }, () => new Connection(new Session(path)));
  const free = [...all];
  const waiting: ((connection: Connection) => void)[] = [];
  /** Prefers a connection that already has the settings, because setting them takes longer than many statements. */
  const take = (settings: ReadonlyMap<string, string>): Promise<Connection> => {
    const like = free.findIndex((connection) => connection.hasSettings(settings));
    const [connection] = like < 0 ? [free.pop()] : free.splice(like, 1);
    return connection ? Promise.resolve(connection) : new Promise((resolve) => waiting.push(resolve));
  };
  const giveBack = (connection: Connection): void => {
    const next = waiting.shift();
    if (next) next(connection);
    else free.push(connection);
  };
  return {
    run: async (statement) => {
      const connection = await take(statement.settings);
      try {
        return await connection.run(statement);
      } finally {
        giveBack(connection);
      }
    },
    close: async () => {
      for (const _ of all) await take(new Map());
      for (const connection of all) connection.close();
    },
  };
}

const INSERT = /^\s*insert\s+into\s+([\w.`]+)\s*(?:\(([\w\s,`]+)\)\s*)?format\s+(\w+)\s*$/i;
const RAW_FORMATS = ["JSONEachRow", "JSONCompactEachRow", "CSV", "CSVWithNames", "TSV", "TabSeparated"] as const;

class Connection {
  readonly #session: Session;
  #database = "default";
  #settings: ReadonlyMap<string, string> = new Map();

  constructor(session: Session) {
    this.#session = session;
  }

  async run({ sql, format, database, settings, rows }: Statement): Promise<Uint8Array> {
    await this.#become(database, settings);
    if (rows === null || rows.length === 0) return (await this.#session.queryAsync(sql, { format })).bytes();
    const insert = INSERT.exec(sql);
    const rawFormat = RAW_FORMATS.find((known) => known === insert?.[3]);
    if (insert === null || rawFormat === undefined)
      return (await this.#session.queryAsync(`${sql}\n${rows.toString("utf8")}`, { format })).bytes();
    const [, table = "", columns] = insert;
    await this.#session.insert({
      table: table.replaceAll("`", ""),
      values: rows,
      format: rawFormat,
      ...(columns === undefined ? {} : { columns: columns.split(",").map((name) => name.replaceAll("`", "").trim()) }),
    });
    return new Uint8Array();
  }

  /** Each request has its own database and settings, so those of the previous request must be reset. */
  async #become(database: string, settings: ReadonlyMap<string, string>): Promise<void> {
    if (database !== this.#database) {
      await this.#session.queryAsync(`USE \`${database.replaceAll(/[`\\]/g, "\\$&")}\``);
      this.#database = database;
    }
    if (this.hasSettings(settings)) return;
    const ends = [...this.#settings.keys()].filter((name) => !settings.has(name));
    const changes = [...settings].filter(([name, value]) => this.#settings.get(name) !== value);
    const all = [
      ...ends.map((name) => `${name} = DEFAULT`),
      ...changes.map(([name, value]) => `${name} = ${quote(value)}`),
    ];
    // One statement sets all of them or none.
    await this.#session.queryAsync(`SET ${all.join(", ")}`);
    this.#settings = settings;
  }

  hasSettings(settings: ReadonlyMap<string, string>): boolean {
    return (
      settings.size === this.#settings.size &&
      [...settings].every(([name, value]) => this.#settings.get(name) === value)
    );
  }

  close(): void {
    this.#session.close();
  }
}
