/**
 * Random objects of every kind that has several versions: nothing is lost on the way through the others. Left out is what a version cannot
 * hold (`missingFields`): fields that came after a version was removed, and in versions that are removed the difference of zero and absent where only one
 * version has it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conversionLoss, settled } from '../../../codegen/policy/conversions/conversion-loss.ts';
import { missingFields } from '../../../codegen/policy/conversions/missing-fields.ts';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import { currentRelease } from '../../../generated/releases.ts';
import { compareReleases } from '../../../runtime/contract/lifespan.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { allKinds, nameOf } from './all-kinds.ts';
import { tryRandomObjects } from './random-cases.ts';

const conversions = suite('random objects through other versions');

const byHub = Map.groupBy(await allKinds(), (kind) => kind.hub);

for (const [hub, versions] of byHub) {
  if (versions.length === 1) continue;
  const settles = versions.some(({ data }) => data.conversion?.function !== undefined);
  for (const kind of versions) {
    const missing = new Set(versions.flatMap((other) => missingFields(kind, other).map(({ path }) => path)));
    const leavesOut = (path: string): boolean => missing.has(path);
    conversions(`${nameOf(kind)}, stored as ${nameOf(hub)}`, () =>
      tryRandomObjects(
        (seed, size) => kind.normalized(randomObject(kind.data.type, { seed, size, leavesOut })),
        (object) => conversionLoss(kind, settles ? settled(kind, object, versions) : object, versions),
      ),
    );
  }
}

/** Fields that versions of one kind cannot hold for each other, as text. */
function lacking(concerns: (from: Kind, to: Kind) => boolean): string[] {
  return [...byHub.values()].flatMap((versions) =>
    versions.flatMap((from) =>
      versions
        .filter((to) => concerns(from, to))
        .flatMap((to) => missingFields(from, to).filter(({ zeroAlone }) => !zeroAlone || !(isRemoved(from) || isRemoved(to))))
        .map(({ path, missing }) => `${missing} ${from.kind} lacks ${path} of ${from.apiVersion}`),
    ),
  );
}

function isRemoved({ data: { lifecycle } }: Kind): boolean {
  return lifecycle.removed !== undefined && compareReleases(lifecycle.removed, currentRelease) <= 0;
}

conversions('versions that are served hold all that the others have', () => {
  assert.equal(
    lacking((_from, to) => !isRemoved(to)),
    [],
  );
});

conversions.run();
