/**
 * The contract of `runtime/storage/storage.ts` as test suites, to be run against every implementation: each sentence of that page has a
 * case, and random histories are held against a model.
 */
import { changeCases } from './contract/changes.ts';
import { compactionCases } from './contract/compaction.ts';
import { lifecycleCases } from './contract/lifecycle.ts';
import { propertyCases } from './contract/property.ts';
import { rangeCases } from './contract/ranges.ts';
import { readCases } from './contract/reads.ts';
import { searchCases } from './contract/searches.ts';
import type { StoreFactory } from './contract/store.ts';
import { writeCases } from './contract/writes.ts';

export function storageContract(name: string, open: StoreFactory): { run(): void } {
  const suites = [writeCases, readCases, rangeCases, searchCases, changeCases, compactionCases, lifecycleCases, propertyCases].map(
    (cases) => cases(name, open),
  );
  return {
    run() {
      for (const suite of suites) suite.run();
    },
  };
}
