import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conversion } from '../../../runtime/kinds/node/runtime-class-v1alpha1.ts';
import { convertFromHub, convertToHub } from '../../../runtime/schema/convert.ts';
import { identity, object } from '../context.ts';
import { loadKind } from '../kind.ts';

const test = suite('runtime classes of removed versions');

test('the specification of v1alpha1 stands beside the metadata in v1', async () => {
  const { data } = await loadKind('node.k8s.io/v1alpha1', 'RuntimeClass');
  const members = { overhead: { podFixed: { cpu: '1' } }, scheduling: { nodeSelector: { a: 'b' } } };
  const old = object('node.k8s.io/v1alpha1', 'RuntimeClass', { spec: { runtimeHandler: 'h', ...members } });
  if (data.conversion === undefined) throw new Error('v1alpha1 has no conversion');
  const hub = convertToHub(structuredClone(old), data.conversion, conversion, identity);
  assert.is(hub.spec, undefined);
  const { handler, overhead, scheduling } = hub;
  assert.equal({ handler, overhead, scheduling }, { handler: 'h', ...members });
  assert.equal(convertFromHub(hub, data.conversion, conversion, identity).spec, old.spec);
});

test.run();
