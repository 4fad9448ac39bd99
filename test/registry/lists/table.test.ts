import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { partialObjectMetadata } from '../../../runtime/registry/lists/table.ts';
import { object } from '../../kinds/context.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('metadata alone');
const COUNTER = 'deprecated.daemonset.template.generation';

const ROWS: readonly (readonly [annotations: object | undefined, shown: object | undefined])[] = [
  [undefined, undefined],
  [{ a: 'b' }, { a: 'b' }],
  [{ [COUNTER]: '1' }, undefined],
  [{ a: 'b', [COUNTER]: '1' }, { a: 'b' }],
];

for (const [annotations, shown] of ROWS)
  test(`of a daemon set with ${JSON.stringify(annotations)}`, async () => {
    const given = object('apps/v1', 'DaemonSet', {}, annotations === undefined ? {} : { annotations });
    const before = structuredClone(given);
    const { kind, metadata } = partialObjectMetadata(await loadKind('apps/v1', 'DaemonSet'), given, 'meta.k8s.io/v1');
    assert.is(kind, 'PartialObjectMetadata');
    assert.equal(metadata.annotations, shown);
    assert.is(metadata.name, 'x');
    assert.equal(given, before);
  });

test.run();
