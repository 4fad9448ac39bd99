/** Zones: which one a node is in, and at which rate nodes of one may lose their pods. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Disruption, evictionRate, type ZoneCount, zoneOf } from '../../../runtime/controllers/node-lifecycle/zones.ts';
import { identity } from '../../kinds/context.ts';

const SETTINGS = { rate: 0.1, secondaryRate: 0.01, largeZone: 50, unhealthyShare: 0.55 };

const rates = suite('rates of zones');
const rows: [name: string, count: ZoneCount, rate: number][] = [
  ['all are ready', { ready: 5, unready: 0 }, 0.1],
  ['one of one is not', { ready: 0, unready: 1 }, 0.1],
  ['two of three are not: few', { ready: 1, unready: 2 }, 0.1],
  ['three of six are not: less than the share', { ready: 3, unready: 3 }, 0.1],
  ['three of five are not: a small zone', { ready: 2, unready: 3 }, 0],
  ['exactly the share, of a small zone', { ready: 9, unready: 11 }, 0],
  ['50 nodes are not many', { ready: 10, unready: 40 }, 0],
  ['51 are', { ready: 11, unready: 40 }, 0.01],
  ['a large zone below the share', { ready: 100, unready: 50 }, 0.1],
  ['none of many is ready, others elsewhere are', { ready: 0, unready: 100 }, 0.1],
];
for (const [name, count, rate] of rows) rates(name, () => assert.is(evictionRate(count, SETTINGS), rate));
rates.run();

const whole = suite('disruption of everything');
const ready: ZoneCount = { ready: 1, unready: 0 };
const unready: ZoneCount = { ready: 0, unready: 4 };
const judgements: [name: string, rounds: Record<string, ZoneCount>[], rates: Record<string, number>, begins: boolean, ends: boolean][] = [
  ['no nodes', [{}], {}, false, false],
  ['one zone is ready', [{ a: ready, b: unready }], { a: 0.1, b: 0.1 }, false, false],
  ['it begins with the first round', [{ a: unready, b: unready }], { a: 0, b: 0 }, true, false],
  ['it goes on', [{ a: unready }, { a: unready }], { a: 0 }, false, false],
  ['it goes on with a new zone', [{ a: unready }, { a: unready, b: unready }], { a: 0, b: 0 }, false, false],
  [
    'it ends with one ready node',
    [
      { a: unready, b: unready },
      { a: unready, b: ready },
    ],
    { a: 0.1, b: 0.1 },
    false,
    true,
  ],
  ['it ends with a new zone', [{ a: unready }, { a: unready, b: ready }], { a: 0.1, b: 0.1 }, false, true],
  ['it begins when the zone with ready nodes is gone', [{ a: unready, b: ready }, { a: unready }], { a: 0 }, true, false],
  ['it begins again', [{ a: unready }, { a: ready }, { a: unready }], { a: 0 }, true, false],
];
for (const [name, rounds, expected, begins, ends] of judgements)
  whole(name, () => {
    const disruption = new Disruption(SETTINGS);
    const last = rounds.map((zones) => disruption.judge(new Map(Object.entries(zones)))).at(-1);
    assert.equal([Object.fromEntries(last?.rates ?? []), last?.begins, last?.ends], [expected, begins, ends]);
  });
whole('pods may go exactly where some node is ready; beginnings and ends take turns', () => {
  const count = fc.record({ ready: fc.nat(60), unready: fc.nat(60) }).filter(({ ready, unready }) => ready + unready > 0);
  const round = fc.dictionary(fc.constantFrom('a', 'b', 'c'), count, { minKeys: 1 });
  fc.assert(
    fc.property(fc.array(round, { maxLength: 20 }), (rounds) => {
      const disruption = new Disruption(SETTINGS);
      let isFull = false;
      for (const zones of rounds) {
        const judged = disruption.judge(new Map(Object.entries(zones)));
        const anyReady = Object.values(zones).some((each) => each.ready > 0);
        assert.is(judged.begins, !anyReady && !isFull);
        assert.is(judged.ends, anyReady && isFull);
        isFull = !anyReady;
        for (const [zone, rate] of judged.rates) assert.is(rate, anyReady ? evictionRate(zones[zone] as ZoneCount, SETTINGS) : 0);
      }
    }),
  );
});
whole.run();

const zones = suite('zones of nodes');
const labels: [name: string, labels: Record<string, string> | undefined, zone: string][] = [
  ['no labels', undefined, '/'],
  ['others', { a: 'b' }, '/'],
  ['a region', { 'topology.kubernetes.io/region': 'r' }, 'r/'],
  ['a zone', { 'topology.kubernetes.io/zone': 'z' }, '/z'],
  ['both', { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' }, 'r/z'],
  ['an older name', { 'failure-domain.beta.kubernetes.io/zone': 'o', 'topology.kubernetes.io/zone': 'z' }, '/o'],
];
for (const [name, given, zone] of labels)
  zones(name, () => {
    const metadata = { name: 'x', ...(given && { labels: given }) };
    assert.is(zoneOf({ kind: 'Node', apiVersion: 'v1', metadata }, identity.text), zone);
  });
zones.run();
