import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('runtime classes');
const { rules } = await loadKind('node.k8s.io/v1', 'RuntimeClass');
const context = ruleContext();
const of = (members: object) => object('node.k8s.io/v1', 'RuntimeClass', members);
const found = (members: object): string[] => lines(rules.validate?.(of(members), context));

test('validation', () => {
  assert.equal(found({ handler: 'runc', overhead: { podFixed: { cpu: '1' } }, scheduling: { nodeSelector: { a: 'b' } } }), []);
  assert.match(found({})[0] as string, /^handler: Invalid value: "": a lowercase RFC 1123 label/);
  assert.equal(found({ handler: 'h', overhead: { podFixed: { cpu: '-1' } } }), [
    'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ]);
});

test('tolerations are unique, whatever their seconds', () => {
  const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute' };
  const tolerations = [toleration, { ...toleration, tolerationSeconds: 5 }];
  assert.match(
    found({ handler: 'h', scheduling: { tolerations } })[0] as string,
    /^scheduling.tolerations\[1\]: Duplicate value: core.Toleration\{Key:"a", Operator:"Exists", .*\(\*int64\)\(0x/,
  );
});

test('the handler stays', () => {
  assert.equal(lines(rules.validateUpdate?.(of({ handler: 'a' }), of({ handler: 'b' }), context)), [
    'handler: Invalid value: "a": field is immutable',
  ]);
});

test('labels with a new name are warned of', () => {
  const given = of({ handler: 'h', scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } });
  assert.equal(rules.warnings?.(given, undefined, context), [
    'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
});

test('cells', async () => assert.equal(await rowOf(of({ handler: 'h' }), Date.parse('2026-01-01T00:01:00Z')), ['x', 'h', '60s']));

test.run();
