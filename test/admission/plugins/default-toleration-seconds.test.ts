/** Which tolerations a pod gets besides its own, by those that it has. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultTolerationSeconds } from '../../../runtime/admission/plugins/default-toleration-seconds.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('default tolerations');

const NOT_READY = identity.text('node.${labelDomain}/not-ready');
const UNREACHABLE = identity.text('node.${labelDomain}/unreachable');
const tolerationSeconds = { notReady: 300, unreachable: 0 };
const added = (key: string) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: key === UNREACHABLE ? tolerationSeconds.unreachable : tolerationSeconds.notReady,
});

interface Row {
  readonly name: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly own?: readonly object[];
  /** keys of what is added, in order */
  readonly adds: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'a pod without tolerations', adds: [NOT_READY, UNREACHABLE] },
  { name: 'a pod that changes', operation: 'update', adds: [NOT_READY, UNREACHABLE] },
  { name: 'one of another key', own: [{ key: 'x', effect: 'NoExecute' }], adds: [NOT_READY, UNREACHABLE] },
  { name: 'one of a key', own: [{ key: NOT_READY, effect: 'NoExecute' }], adds: [UNREACHABLE] },
  { name: 'one of a key, of every effect', own: [{ key: UNREACHABLE, operator: 'Exists' }], adds: [NOT_READY] },
  { name: 'one of a key, of another effect', own: [{ key: NOT_READY, effect: 'NoSchedule' }], adds: [NOT_READY, UNREACHABLE] },
  { name: 'one of every key', own: [{ operator: 'Exists' }], adds: [] },
  { name: 'one of every key, of another effect', own: [{ operator: 'Exists', effect: 'NoSchedule' }], adds: [NOT_READY, UNREACHABLE] },
  { name: 'a pod that goes', operation: 'delete', adds: [] },
  { name: 'a subresource', subresource: 'status', adds: [] },
  { name: 'another resource', resource: 'nodes', adds: [] },
  { name: 'another group', group: 'e.com', adds: [] },
];

for (const { name, operation = 'create', group = '', resource = 'pods', subresource = '', own, adds } of rows)
  test(name, async () => {
    const object = { spec: own === undefined ? {} : { tolerations: own } };
    const attributes = { operation, resource: { groupResource: { group, resource } }, subresource, object };
    await defaultTolerationSeconds({ identity, tolerationSeconds }).mutate?.(attributes as unknown as AdmissionAttributes);
    const tolerations = [...(own ?? []), ...adds.map(added)];
    assert.equal(object, { spec: own === undefined && adds.length === 0 ? {} : { tolerations } });
  });

test.run();
