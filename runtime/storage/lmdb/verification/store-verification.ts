/** A look through an open store: its file, for what the disk cannot read, then its tables. */
import type { Finding, StoreVerification, Terms } from '../../storage.ts';
import { FileReading } from '../files/file-reading.ts';
import type { Tables } from '../tables/tables.ts';
import { Verification } from './verification.ts';

export interface VerifiedStore {
  readonly tables: Tables;
  readonly file: string;
  readonly terms: Terms;
  readonly found: (finding: Finding) => void;
}

export function storeVerification({ tables, file, terms, found }: VerifiedStore): StoreVerification {
  const unreadable = (what: string): void => found({ key: undefined, revision: undefined, found: what });
  const reading = new FileReading(file, unreadable);
  const verification = new Verification({
    tables,
    terms,
    found,
    unreadable: (error) => unreadable(`LMDB cannot read a part of it: ${error instanceof Error ? error.message : String(error)}`),
  });
  let isRead = false;
  return {
    step(milliseconds) {
      if (!isRead) {
        isRead = !reading.step(milliseconds);
        return true;
      }
      return tables.read(() => verification.step(milliseconds));
    },
    get counts() {
      return { ...reading.counts, ...verification.counts };
    },
  };
}
