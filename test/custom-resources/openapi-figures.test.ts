import { setImmediate as nextRound } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenapiFigures } from '../../runtime/custom-resources/openapi-figures.ts';
import { Metrics, type MetricsTable } from '../../runtime/observability/metrics.ts';
import type { ResourceDefinition } from '../../runtime/registry/resources/resource-definition.ts';
import { eventually } from '../harness/eventually.ts';

const table: MetricsTable = {
  apiextensions_openapi_v2_regeneration_count: { type: 'counter', stability: 'ALPHA', help: 'Counted.' },
  apiextensions_openapi_v3_regeneration_count: { type: 'counter', stability: 'ALPHA', help: 'Counted.' },
};
const GROUP = 'e.com';
const defines = (hashes: Record<string, string>): ResourceDefinition =>
  ({
    group: GROUP,
    versions: Object.entries(hashes).map(([version, hash]) => ({ version, openapi: { hash } })),
  }) as unknown as ResourceDefinition;

function follow() {
  const metrics = new Metrics(table);
  const figures = new OpenapiFigures(metrics);
  const shown = (name: string) =>
    (metrics.figures().values[name] ?? []).map(({ labels: { crd, reason, version = '' }, value }) =>
      [crd, reason, version, value].filter(Boolean).join(' '),
    );
  const total = (name: string) => (metrics.figures().values[name] ?? []).reduce((sum, { value }) => sum + value, 0);
  return {
    figures,
    /** Resolves when so many changes of documents of version 3 are counted: changes are counted in their order, and give way to other work. */
    counted: (changes: number) => eventually(`${changes} changes`, () => total('apiextensions_openapi_v3_regeneration_count') >= changes),
    v2: () => shown('apiextensions_openapi_v2_regeneration_count'),
    v3: () => shown('apiextensions_openapi_v3_regeneration_count'),
  };
}

const test = suite('figures of documents that definitions change');
test('a definition adds, updates and removes; a version that says the same changes nothing', async () => {
  const { figures, v2, v3, counted } = follow();
  const [one, two, three] = [defines({ v1: 'a' }), defines({ v1: 'a', v2: 'b' }), defines({ v2: 'c' })];
  figures.changed('toys', undefined, one, false);
  figures.changed('toys', one, two, false);
  figures.changed('toys', two, three, false);
  figures.changed('toys', three, undefined, false);
  await counted(5);
  assert.equal(v2(), ['toys add 1', 'toys update 2', 'toys remove 1']);
  assert.equal(v3(), ['toys add v1 1', 'toys add v2 1', 'toys remove v1 1', 'toys update v2 1', 'toys remove v2 1']);
});
test('only the first definition of a group version adds it', async () => {
  const { figures, v3, counted } = follow();
  const definition = defines({ v1: 'a' });
  figures.changed('toys', undefined, definition, false);
  figures.changed('games', undefined, definition, false);
  figures.changed('toys', definition, undefined, false);
  figures.changed('games', definition, undefined, false);
  figures.changed('toys', undefined, definition, false);
  await counted(5);
  assert.equal(v3(), ['toys add v1 2', 'games update v1 1', 'toys remove v1 1', 'games remove v1 1']);
});
test('what is there at the beginning is in the one document of version 2, and makes those of version 3', async () => {
  const { figures, v2, v3, counted } = follow();
  figures.changed('toys', undefined, defines({ v1: 'a' }), true);
  await counted(1);
  assert.equal([v2(), v3()], [[], ['toys add v1 1']]);
});

test('a definition of many versions is counted in pieces, and what comes behind it in its turn', async () => {
  const counted: Record<string, string>[] = [];
  const inc = (labels: Record<string, string>): unknown => counted.push(labels);
  const figures = new OpenapiFigures({ counter: () => ({ inc }) } as never);
  const count = 20_000;
  let looked = 0;
  const versions = Array.from({ length: count }, (_, i) => ({
    get version() {
      looked++;
      return `v${i}`;
    },
    openapi: { hash: 'a' },
  }));
  const long = { group: GROUP, versions } as unknown as ResourceDefinition;
  figures.changed('toys', undefined, long, false);
  assert.ok(counted.length < count, 'all was counted at once');
  figures.changed('toys', long, undefined, false);
  while (counted.length < 2 * (count + 1)) await nextRound();
  const reasons = counted.map(({ reason }) => reason);
  assert.equal(reasons.lastIndexOf('add') + 1, reasons.indexOf('remove'));
  assert.equal(counted.at(-1), { crd: 'toys', group: GROUP, reason: 'remove', version: `v${count - 1}` });
  assert.ok(looked <= 4 * count, `versions were looked at ${looked} times`);
});

test.run();
