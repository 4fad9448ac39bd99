/** Which nodes get the taint that keeps pods away until they are ready. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { taintNodesByCondition } from '../../../runtime/admission/plugins/taint-nodes-by-condition.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('taints of new nodes');

const KEY = identity.text('node.${labelDomain}/not-ready');
const TAINT = { key: KEY, effect: 'NoSchedule' };
const OTHER = { key: 'x', effect: 'NoSchedule' };
const EXECUTE = { key: KEY, effect: 'NoExecute' };

interface Row {
  readonly name: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly object?: object;
  readonly becomes: object;
}

const rows: readonly Row[] = [
  { name: 'a node without a spec', object: {}, becomes: { spec: { taints: [TAINT] } } },
  { name: 'the rest of its spec stays', object: { spec: { podCIDR: 'a' } }, becomes: { spec: { podCIDR: 'a', taints: [TAINT] } } },
  { name: 'its own taints stay', object: { spec: { taints: [OTHER] } }, becomes: { spec: { taints: [OTHER, TAINT] } } },
  { name: 'the key with another effect', object: { spec: { taints: [EXECUTE] } }, becomes: { spec: { taints: [EXECUTE, TAINT] } } },
  { name: 'the taint itself', object: { spec: { taints: [TAINT] } }, becomes: { spec: { taints: [TAINT] } } },
  { name: 'a node that changes', operation: 'update', becomes: {} },
  { name: 'a subresource', subresource: 'status', becomes: {} },
  { name: 'another resource', resource: 'pods', becomes: {} },
  { name: 'another group', group: 'e.com', becomes: {} },
];

for (const { name, operation = 'create', group = '', resource = 'nodes', subresource = '', object = {}, becomes } of rows)
  test(name, async () => {
    const given = structuredClone(object);
    const attributes = { operation, resource: { groupResource: { group, resource } }, subresource, object: given };
    await taintNodesByCondition(identity).mutate?.(attributes as unknown as AdmissionAttributes);
    assert.equal(given, becomes);
  });

test.run();
