import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { User } from '../endpoints/api-server.ts';
import { AUTHENTICATED_GROUP } from './authenticator.ts';

/**
 * The static token file: CSV lines of token, user name, uid, and groups as one double-quoted column (specification: static token file).
 * Tokens are kept and looked up by their SHA-256 digest, so that the time of a look-up says nothing about a token.
 */
export class TokenFile {
  readonly #users = new Map<string, User>();

  /** @throws Error with the line for a file that is not of that form */
  static read(path: string): TokenFile {
    return new TokenFile(readFileSync(path, 'utf8'), path);
  }

  constructor(text: string, path: string) {
    text.split(/\r?\n/).forEach((line, index) => {
      if (line.trim() === '') return;
      const columns = parseCsvLine(line);
      const [token = '', name = '', uid = '', groups = ''] = columns;
      if (columns.length < 3 || token === '' || name === '')
        throw new Error(`${path}:${index + 1}: a line needs a token, a user name and a uid (and may have groups in one quoted column)`);
      const named = groups
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== '');
      this.#users.set(digest(token), { name, uid, groups: [...named, AUTHENTICATED_GROUP], extra: {} });
    });
  }

  find(token: string): User | undefined {
    return this.#users.get(digest(token));
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** Columns of one line of RFC 4180 text, spaces around them dropped. */
function parseCsvLine(line: string): string[] {
  const columns: string[] = [];
  const column = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/y;
  while (column.lastIndex < line.length) {
    const match = column.exec(line);
    if (match === null) break;
    columns.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : (match[2] ?? '').trim());
    if (!match[0].endsWith(',')) break;
  }
  return columns;
}
