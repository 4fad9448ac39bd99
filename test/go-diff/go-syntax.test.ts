import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectMeta } from '../../generated/meta/v1/descriptors.ts';
import * as d from '../../runtime/contract/descriptor.ts';
import { goSyntax } from '../../runtime/go-diff/go-syntax.ts';
import { goStruct } from '../../runtime/go-diff/wire-types.ts';

const thing = d.struct('io.k8s.api.toy.v1.Thing', () => [
  { name: 'metadata', type: ObjectMeta },
  { name: 'since', type: d.time },
  { name: 'until', type: d.time, go: { pointer: true } },
  { name: 'cidrs', type: d.list(d.string) },
]);
const shown = (value: unknown): string => goSyntax(goStruct(thing), value).replace(/0x[0-9a-f]+/g, '0x');

const test = suite("structures as Go's %#v shows them");

test('metadata stand in a field that is named like their type', () => {
  assert.match(shown({ metadata: { name: 'a' } }), /^toy\.Thing\{ObjectMeta:v1\.ObjectMeta\{Name:"a", GenerateName:"", /);
});

test('times say how they are made, and a pointer to none is nil', () => {
  assert.match(
    shown({ since: '2026-02-03T04:05:06Z', until: '2026-02-03T04:05:06Z' }),
    /, Since:time\.Date\(2026, time\.February, 3, 4, 5, 6, 0, time\.Local\), Until:time\.Date\(2026, time\.February, 3, 4, 5, 6, 0, time\.Local\), /,
  );
  assert.match(shown({}), /, Since:time\.Date\(1, time\.January, 1, 0, 0, 0, 0, time\.UTC\), Until:<nil>, /);
});

test('what else a pointer leads to is its address', () => {
  const pointing = d.struct('io.k8s.api.toy.v1.Pointing', () => [{ name: 'count', type: d.int32, go: { pointer: true } }]);
  assert.is(goSyntax(goStruct(pointing), {}), 'toy.Pointing{Count:(*int32)(nil)}');
  assert.match(goSyntax(goStruct(pointing), { count: 1 }), /^toy\.Pointing\{Count:\(\*int32\)\(0xc[0-9a-f]+\)\}$/);
});

test.run();
