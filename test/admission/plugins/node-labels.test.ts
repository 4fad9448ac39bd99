/** Labels that a node agent may set, change and remove. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NodeLabels } from '../../../runtime/admission/plugins/node-labels.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('labels of nodes');

const labels = new NodeLabels(identity);

interface Row {
  readonly name: string;
  /** with placeholders */
  readonly key: string;
  readonly forbidden: boolean;
}

const rows: readonly Row[] = [
  { name: 'no domain', key: 'x', forbidden: false },
  { name: 'a foreign domain', key: 'e.com/x', forbidden: false },
  { name: 'a known label', key: '${labelDomain}/hostname', forbidden: false },
  { name: 'a known label of a domain within', key: 'topology.${labelDomain}/zone', forbidden: false },
  { name: 'an unknown label of the own domain', key: '${labelDomain}/x', forbidden: true },
  { name: 'an unknown label of a domain within', key: 'topology.${labelDomain}/x', forbidden: true },
  { name: 'the domain of groups', key: '${groupDomain}/x', forbidden: true },
  { name: 'within the domain of groups', key: 'a.${groupDomain}/x', forbidden: true },
  { name: 'a name that begins as the domain', key: '${labelDomain}x', forbidden: false },
  { name: 'a domain that only ends alike', key: 'x${labelDomain}/x', forbidden: false },
  { name: 'the domain of agents', key: 'kubelet.${labelDomain}/x', forbidden: false },
  { name: 'within the domain of agents', key: 'a.kubelet.${labelDomain}/x', forbidden: false },
  { name: 'the domain of nodes', key: 'node.${labelDomain}/x', forbidden: false },
  { name: 'the domain of administrators', key: 'node-restriction.${labelDomain}/x', forbidden: true },
  { name: 'within the domain of administrators', key: 'a.node-restriction.${labelDomain}/x', forbidden: true },
];

for (const { name, key: template, forbidden } of rows)
  test(name, () => {
    const key = identity.text(template);
    const found = forbidden ? [key] : [];
    assert.equal(labels.forbidden({ [key]: 'a' }), found, 'set');
    assert.equal(labels.forbidden({ [key]: 'a' }, { [key]: 'b' }), found, 'changed');
    assert.equal(labels.forbidden({}, { [key]: 'b' }), found, 'removed');
    assert.equal(labels.forbidden({ [key]: 'a' }, { [key]: 'a' }), [], 'kept');
  });

test('those of several are sorted', () => {
  const [a, b] = [identity.text('${labelDomain}/a'), identity.text('${labelDomain}/b')];
  assert.equal(labels.forbidden({ [b]: '', x: '' }, { [a]: '' }), [a, b]);
});

test('no labels at all', () => assert.equal(labels.forbidden(), []));

test.run();
