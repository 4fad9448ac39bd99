/** What a namespace that is missing or going still takes, and which namespaces are never deleted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaceLifecycle } from '../../../runtime/admission/plugins/namespace-lifecycle.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import type { HandlerName } from '../../../runtime/contract/handlers.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('lifecycle of namespaces');

const PHASES: Readonly<Record<string, 'Active' | 'Terminating'>> = { open: 'Active', going: 'Terminating' };

interface Row {
  readonly name: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly resource?: string;
  readonly scope?: 'Cluster' | 'Namespaced';
  /** what answers for a resource of which nothing is stored */
  readonly handler?: HandlerName;
  readonly namespace?: string;
  readonly object?: string;
  readonly generateName?: string;
  readonly refusal?: readonly [code: number, message: string];
}

const missing = [404, 'namespaces "none" not found'] as const;
const goingOf = (name: string) =>
  [403, `pods "${name}" is forbidden: unable to create new content in namespace going because it is being terminated`] as const;
const going = goingOf('x');
const kept = (name: string) => [403, `namespaces "${name}" is forbidden: this namespace may not be deleted`] as const;
const namespaces = { resource: 'namespaces', scope: 'Cluster' } as const;
const [SYSTEM, PUBLIC] = [identity.text('${systemNamespace}'), identity.text('${publicNamespace}')];

const rows: readonly Row[] = [
  { name: 'a namespace that is there' },
  { name: 'a new object in a missing namespace', namespace: 'none', refusal: missing },
  { name: 'an update in a missing namespace', operation: 'update', namespace: 'none', refusal: missing },
  { name: 'a delete in a missing namespace', operation: 'delete', namespace: 'none' },
  { name: 'a new object in a namespace that goes', namespace: 'going', refusal: going },
  { name: 'an update in a namespace that goes', operation: 'update', namespace: 'going' },
  { name: 'a delete in a namespace that goes', operation: 'delete', namespace: 'going' },
  { name: 'an object that gets its name later', namespace: 'going', object: '', generateName: 'y-', refusal: goingOf('y-') },
  { name: 'an object without a name', namespace: 'going', object: '', refusal: goingOf('Unknown') },
  { name: 'what is not stored', namespace: 'none', handler: 'binding', refusal: missing },
  { name: 'what is not stored, in a namespace that goes', namespace: 'going', handler: 'binding', refusal: goingOf('x') },
  { name: 'a question about access', namespace: 'none', handler: 'authorization/local-subject-access-review' },
  { name: 'what is outside of namespaces', scope: 'Cluster', namespace: '' },
  { name: 'a namespace is deleted', ...namespaces, operation: 'delete', object: 'open' },
  { name: 'the default namespace is deleted', ...namespaces, operation: 'delete', object: 'default', refusal: kept('default') },
  { name: 'the namespace of the system is deleted', ...namespaces, operation: 'delete', object: SYSTEM, refusal: kept(SYSTEM) },
  { name: 'the public namespace is deleted', ...namespaces, operation: 'delete', object: PUBLIC, refusal: kept(PUBLIC) },
  { name: 'the default namespace is updated', ...namespaces, operation: 'update', object: 'default' },
];

for (const row of rows)
  test(row.name, async () => {
    const { operation = 'create', resource = 'pods', scope = 'Namespaced', handler, namespace = 'open', object = 'x', generateName } = row;
    const attributes = {
      operation,
      resource: { groupResource: { group: '', resource }, data: { scope, handler } },
      namespace,
      name: object,
      object: { metadata: { generateName } },
    } as unknown as AdmissionAttributes;
    let refused: unknown;
    try {
      await namespaceLifecycle(identity, (name) => PHASES[name]).mutate?.(attributes);
    } catch (error) {
      refused = error;
    }
    if (row.refusal === undefined) return assert.is(refused, undefined);
    assert.instance(refused, StatusError);
    const { status } = refused as StatusError;
    assert.equal([status.code, status.message], row.refusal);
  });

test.run();
