import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Comparison, ratioOf } from './comparison.ts';
import { profileOf } from './cpu-profile.ts';
import type { AlternatingResult } from './load/alternating-loops.ts';
import type { ClosedLoop } from './load/closed-loop.ts';
import { NumberedRequest } from './load/numbered-request.ts';
import { MarkReader, SENT_AT, sentAtMark } from './load/watchers.ts';
import { podBody } from './objects.ts';
import { processFigures, threadSeconds } from './process-figures.ts';
import { median, mostWithin, percentile } from './statistics.ts';
import { renderTable } from './table.ts';

const measuring = suite('measuring');
measuring('percentiles', () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1);
  assert.equal([percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.99)], [51, 100, 7]);
  assert.ok(Number.isNaN(percentile([], 0.5)));
  assert.is(median([3, 1, 2]), 2);
});
measuring('the most within some span', () => {
  const times = [0, 100, 300, 900, 1_000, 1_050, 1_099, 3_000];
  assert.equal(
    [1, 100, 200, 1_000, 5_000].map((length) => mostWithin(times, length)),
    [1, 3, 4, 6, 8],
  );
  assert.is(mostWithin([], 1_000), 0);
});
measuring('numbers are written in place, with the same length', () => {
  const request = new NumberedRequest('PUT /pod-@@@@@@@@ p~~ n^^ "pod-@@@@@@@@"');
  request.number = 1284;
  assert.is(request.bytes.toString(), 'PUT /pod-00001284 p84 n34 "pod-00001284"');
  request.number = 7;
  assert.is(request.bytes.toString(), 'PUT /pod-00000007 p07 n07 "pod-00000007"');
});
measuring('marks of time are found once, wherever the stream is cut', () => {
  const stream = Buffer.from(`{"a":"${SENT_AT}0000000000000042"}\n{"b":"${SENT_AT}0000000000000043"}\n`);
  for (let cut = 0; cut <= stream.length; cut++) {
    const found: number[] = [];
    const reader = new MarkReader((microseconds) => found.push(microseconds));
    reader.read(stream.subarray(0, cut));
    reader.read(stream.subarray(cut));
    assert.equal(found, [42, 43], `cut at ${cut}`);
  }
  assert.match(sentAtMark(), /^sent-at-\d{16}$/);
});
measuring('pods have 3 KB', () => {
  const { length } = podBody();
  assert.is(length, 3_000);
  assert.is(podBody(4_000).length, 4_000);
});
measuring('figures of this process', () => {
  const figures = processFigures(process.pid);
  if (figures === undefined) return;
  assert.ok(figures.peakBytes >= figures.residentBytes);
  assert.ok(figures.residentBytes > 10e6 && figures.anonymousBytes <= figures.residentBytes);
  assert.ok(figures.processorSeconds > 0 && figures.processes >= 1);
});
measuring('processor time of threads grows with work', () => {
  const before = threadSeconds([process.pid]);
  if (before === undefined) return;
  // A thread of the compiler or of the collector that ends meanwhile takes with it what it had, so work goes on until it outweighs that.
  const grown = () => (threadSeconds([process.pid]) as number) - before;
  for (const until = performance.now() + 10_000; grown() <= 0.001 && performance.now() < until; );
  assert.ok(grown() > 0.001, `${grown()} s`);
  assert.is(threadSeconds([2 ** 30]), undefined);
});

measuring('a profile tells the part of a function and of what it calls outside, within a span of time', () => {
  const node = (id: number, functionName: string, url: string, children: readonly number[] = []) => ({
    id,
    callFrame: { functionName, url },
    children,
  });
  const nodes = [
    node(1, '(root)', '', [2, 3, 6]),
    node(2, '(idle)', ''),
    node(3, 'answer', 'file:///a/runtime/chain/chain.ts', [4, 5]),
    node(4, 'verify', 'file:///a/runtime/storage/verified.ts', [7, 8]),
    node(5, 'parse', 'node:internal'),
    node(6, 'collect', ''),
    node(7, 'crc32', 'node:zlib'),
    node(8, 'decode', 'file:///a/runtime/storage/codecs.ts'),
  ];
  const samples = [3, 4, 7, 8, 2, 5, 6, 4];
  const profile = profileOf({ nodes, startTime: 100, samples, timeDeltas: samples.map(() => 10) });
  const share = (from: number, to: number) => profile.share({ from, to }, (file) => file === 'storage/verified.ts');
  assert.is(share(0, 1_000), 3 / 7);
  assert.is(share(115, 130), 1);
  assert.is(share(155, 170), 0);
  assert.ok(Number.isNaN(share(145, 155)));
});

measuring('a pause of the collector counts in a profile by how long no other sample was taken', () => {
  const named = (id: number, functionName: string, children: readonly number[] = []) => ({
    id,
    callFrame: { functionName, url: '' },
    children,
  });
  const nodes = [named(1, '(root)', [2, 3, 4]), named(2, '(garbage collector)'), named(3, 'crc32'), named(4, 'answer')];
  const profile = profileOf({ nodes, startTime: 0, samples: [4, 3, 2, 4, 4], timeDeltas: [10, 10, 60, 10, 90] });
  assert.is(
    profile.share({ from: 0, to: 200 }, (_file, name) => name === 'crc32'),
    1 / 10,
  );
});

const resultOf = (slices: readonly number[]): AlternatingResult => ({ perSecond: 1, p50Ms: 1, p99Ms: 1, sent: 1, failures: 0, slices });
measuring('two servers are compared slice by slice', () => {
  const ratio = ratioOf([resultOf([10, 40, 30, 8]), resultOf([20, 20, 30, 10, 7])]);
  assert.equal(ratio, { middle: 1, low: 0.8, high: 2 });
  assert.is(ratioOf([resultOf([]), resultOf([1])]), undefined);
});
measuring('closed loops of two servers wait for each other, whoever comes first', async () => {
  const loop = (request: string) => ({ request }) as ClosedLoop;
  const comparison = new Comparison(async ({ loops }) => {
    const [one, other] = loops.map(({ request }) => resultOf([Number(request)]));
    return [one as AlternatingResult, other as AlternatingResult];
  });
  for (const order of [
    [true, false],
    [false, true],
  ]) {
    const results = await Promise.all(order.map((isFirst) => comparison.run(isFirst, loop(isFirst ? '1' : '2'))));
    for (const [one, other] of results) assert.equal([one.slices, other.slices], [[1], [2]]);
  }
});
measuring('the table has one line a row, numbers to the right', () => {
  const table = renderTable([
    { workload: 'get', name: 'a', perSecond: 12_345.6, p50Ms: 0.123 },
    { workload: 'list', name: 'longer', perSecond: 5, note: 'end' },
  ]);
  assert.is(
    table,
    [
      'workload  case    per second  p50 ms  p99 ms  MB/s  CPU µs each',
      'get       a           12,346    0.12',
      'list      longer        5.00                                     end',
    ].join('\n'),
  );
});
measuring('the table of two servers has them one below the other, and only the columns that are needed', () => {
  const row = { workload: 'list', name: 'a' };
  const rows = [
    { ...row, server: 'x' },
    { workload: 'list', name: 'b', server: 'x', peakMb: 240, anonymousPeakMb: 99.5 },
    { ...row, server: 'y' },
  ];
  assert.equal(
    renderTable(rows)
      .split('\n')
      .map((line) => line.slice(0, 22).trimEnd()),
    ['workload  case  server', 'list      a     x', 'list      a     y', 'list      b     x'],
  );
  const compared = renderTable([{ ...row, processorRatio: { middle: 0.9, low: 0.88, high: 0.912 } }]);
  assert.match(compared, /CPU ratio.*\n.* 0\.900 \(0\.88 to 0\.91\)/);
  const cost = renderTable([
    { ...row, processorWithoutUs: 100, processorUs: 101, processorRatio: { middle: 1.01, low: 1, high: 1.02 }, ratioGoal: 1.03 },
  ]);
  assert.match(cost, /CPU µs without +CPU µs each +CPU ratio +goal\n.* 100 +101 +1\.010 \(1\.00 to 1\.02\) +1\.03$/);
  assert.match(renderTable(rows), /peak MB.*\n.*\n.*\n.* 240 \(99\.5\)/);
});
measuring.run();
