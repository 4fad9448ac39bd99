/** Which traces are recorded. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomSpanId, TraceIds } from '../../runtime/tracing/trace-ids.ts';

const MILLION = 1_000_000;

/** As the sampler of OpenTelemetry for Go decides. */
function isBelow(traceId: Buffer, perMillion: number): boolean {
  const bound = BigInt(Math.floor((perMillion / MILLION) * 2 ** 53)) << 10n;
  return traceId.readBigUInt64BE(8) >> 1n < bound;
}

const sampling = suite('sampling');
sampling('of none none is recorded, of all every one', () => {
  const [none, all] = [new TraceIds(0), new TraceIds(MILLION)];
  const seen = new Set<string>();
  for (let i = 0; i < 3_000; i++) {
    assert.is(none.draw(), undefined);
    const id = all.draw() as Buffer;
    assert.is(id.length, 16);
    seen.add(id.toString('hex'));
  }
  assert.is(seen.size, 3_000);
});
for (const perMillion of [1_000, 10_000, 250_000, 900_000])
  sampling(`of a million ${perMillion} are recorded, give or take what chance does`, () => {
    const ids = new TraceIds(perMillion);
    const draws = 40_000;
    let recorded = 0;
    for (let i = 0; i < draws; i++) if (ids.draw() !== undefined) recorded++;
    const ratio = perMillion / MILLION;
    const deviation = Math.sqrt(draws * ratio * (1 - ratio));
    // seven times the deviation: one run of 10^11 is beyond that
    assert.ok(Math.abs(recorded - draws * ratio) < 7 * deviation, `${recorded} of ${draws}`);
  });
sampling('the identity says whether a trace is recorded, to others as well', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MILLION - 1 }), (perMillion) => {
      const ids = new TraceIds(perMillion);
      const unrecorded = ids.unrecorded();
      assert.is(ids.records(unrecorded), false);
      assert.is(isBelow(unrecorded, perMillion), false);
      let drawn: Buffer | undefined;
      for (let i = 0; i < 10 && drawn === undefined; i++) drawn = ids.draw();
      if (drawn === undefined) return;
      assert.ok(ids.records(drawn));
      // but for those at the very edge, where numbers are rounded
      if (drawn.readBigUInt64BE(8) >> 11n !== BigInt(Math.floor((perMillion / MILLION) * 2 ** 53))) assert.ok(isBelow(drawn, perMillion));
    }),
  );
});
sampling('identities of spans are eight bytes in memory of their own', () => {
  const ids = Array.from({ length: 3_000 }, () => randomSpanId());
  const texts = ids.map((id) => id.toString('hex'));
  assert.is(new Set(texts).size, ids.length);
  for (const text of texts) assert.match(text, /^[0-9a-f]{16}$/);
  randomSpanId().fill(0);
  assert.equal(
    ids.map((id) => id.toString('hex')),
    texts,
  );
});
sampling.run();
