import type { User } from '../contract/request-context.ts';
import { FileError } from '../files/file-error.ts';
import { CsvError, parseCsv } from '../formats/csv.ts';
import { withAuthenticatedGroup } from './identities.ts';
import { KeyedDigest } from './keyed-digest.ts';

/**
 * The static token file: CSV records of token, user name, uid, and groups as one double-quoted column (specification: static token file).
 * Tokens are stored and looked up by a keyed digest, so memory does not keep them.
 */
export class TokenFile {
  readonly #users = new Map<string, User>();
  readonly #digest = new KeyedDigest();
  /** warnings about records without effect */
  readonly warnings: readonly string[];

  /** @throws FileError that names the line, for a text of another form */
  constructor(text: string, path: string) {
    const warnings: string[] = [];
    for (const { line, fields } of records(text, path)) {
      const [token = '', name = '', uid = '', groups = ''] = fields;
      if (fields.length < 3)
        throw new FileError(`${path}:${line}`, [
          `a line needs at least a token, a user name and a uid (and may have groups in one quoted column), found ${fields.length} columns`,
        ]);
      const digest = this.#digest.of(token);
      if (token === '') warnings.push(`${path}:${line}: an empty token is ignored`);
      else if (this.#users.has(digest)) warnings.push(`${path}:${line}: the token stands in an earlier line too, this one counts`);
      if (token !== '') this.#users.set(digest, withAuthenticatedGroup({ name, uid, groups: groupsOf(groups), extra: {} }));
    }
    this.warnings = warnings;
  }

  /** @param connection as of `KeyedDigest` */
  find(token: string, connection?: object): User | undefined {
    return this.#users.get(this.#digest.of(token, connection));
  }
}

function groupsOf(column: string): string[] {
  return column.split(',').filter((group) => group !== '');
}

function records(text: string, path: string): ReturnType<typeof parseCsv> {
  try {
    return parseCsv(text);
  } catch (error) {
    throw error instanceof CsvError ? new FileError(`${path}:${error.line}`, [error.message]) : error;
  }
}
