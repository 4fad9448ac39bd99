/**
 * The contract of `runtime/storage/storage.ts` as test suites, to be run against every implementation: each sentence of that page has a
 * case, and random histories are held against a model.
 */
import { changeCases } from './contract/changes.ts';
import { compactionCases } from './contract/compaction.ts';
import { lifecycleCases } from './contract/lifecycle.ts';
import { type Histories, propertyCases } from './contract/property.ts';
import { rangeCases } from './contract/ranges.ts';
import { readCases } from './contract/reads.ts';
import { searchCases } from './contract/searches.ts';
import type { StoreFactory } from './contract/store.ts';
import { writeCases } from './contract/writes.ts';

/**
 * @param histories random ones: fewer for a store whose opening takes long and whose reads are those of another one, and several at once where stores
 * have nothing in common
 */
export function storageContract(name: string, open: StoreFactory, { count = 100, atOnce = 1 }: Partial<Histories> = {}): { run(): void } {
  const cases = [writeCases, readCases, rangeCases, searchCases, changeCases, compactionCases, lifecycleCases];
  const suites = [...cases.map((each) => each(name, open)), propertyCases(name, open, { count, atOnce })];
  return {
    run() {
      for (const suite of suites) suite.run();
    },
  };
}
