/** What one delete does to one object, as 1.32 does it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KindRules } from '../../../runtime/contract/kind-rules.ts';
import type { ApiObject, ObjectMeta } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import {
  type DeleteOptions,
  markForDeletion,
  preconditionConflict,
  takenOptions,
} from '../../../runtime/registry/resource-store/deletion.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { object, ruleContext } from '../../kinds/context.ts';
import { loadKind } from '../../kinds/kind.ts';

const NOW = '2026-01-01T00:00:00Z';
const context = ruleContext();

const resource = (defaultPropagation?: 'Orphan' | 'Unsupported'): Resource =>
  ({ data: { defaultPropagation }, groupResource: { group: '', resource: 'things' } }) as unknown as Resource;
const kindOf = (rules: KindRules): Kind => ({ group: '', kind: 'Thing', rules }) as unknown as Kind;

const PLAIN = kindOf({});
const POD = (await loadKind('v1', 'Pod')) as Kind;
const DEFINITION = (await loadKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')) as Kind;
const NAMESPACE = (await loadKind('v1', 'Namespace')) as Kind;

interface Row {
  readonly name: string;
  readonly hub?: Kind;
  readonly fallback?: 'Orphan' | 'Unsupported';
  readonly before?: Partial<ObjectMeta>;
  readonly members?: object;
  readonly options?: DeleteOptions;
  /** false: nobody collects garbage */
  readonly collectsGarbage?: boolean;
  readonly step: ReturnType<typeof markForDeletion>;
  /** members of the metadata afterwards; undefined: they are not there */
  readonly after?: Partial<ObjectMeta>;
}

const BOUND = { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } };
const deleted = (seconds: number, at: string = NOW) => ({ deletionTimestamp: at, deletionGracePeriodSeconds: seconds });
const LATER = '2026-01-01T00:00:30Z';

const rows: readonly Row[] = [
  { name: 'nothing holds it', step: 'remove', after: { deletionTimestamp: undefined } },
  { name: 'its generation stays where it goes at once', before: { generation: 3 }, step: 'remove', after: { generation: 3 } },
  {
    name: 'a finalizer holds it',
    before: { finalizers: ['e.com/f'], generation: 3 },
    step: 'marked',
    after: { ...deleted(0), finalizers: ['e.com/f'], generation: 4 },
  },
  {
    name: 'a second delete changes nothing',
    before: { finalizers: ['e.com/f'], ...deleted(0), generation: 4 },
    step: 'unchanged',
    after: { generation: 4 },
  },
  { name: 'Foreground', options: { propagationPolicy: 'Foreground' }, step: 'marked', after: { finalizers: ['foregroundDeletion'] } },
  { name: 'Orphan', options: { propagationPolicy: 'Orphan' }, step: 'marked', after: { finalizers: ['orphan'] } },
  { name: 'Background', options: { propagationPolicy: 'Background' }, step: 'remove', after: { finalizers: undefined } },
  { name: 'orphanDependents', options: { orphanDependents: true }, step: 'marked', after: { finalizers: ['orphan'] } },
  { name: 'Foreground without a collector', options: { propagationPolicy: 'Foreground' }, collectsGarbage: false, step: 'remove' },
  { name: 'Orphan without a collector', options: { propagationPolicy: 'Orphan' }, collectsGarbage: false, step: 'remove' },
  { name: 'a default of Orphan without a collector', fallback: 'Orphan', collectsGarbage: false, step: 'remove' },
  {
    name: 'a finalizer for a policy without a collector',
    before: { finalizers: ['orphan'] },
    options: { propagationPolicy: 'Background' },
    collectsGarbage: false,
    step: 'marked',
    after: { finalizers: ['orphan'] },
  },
  {
    name: 'namespace: its own finalizers for a policy, collector or not',
    hub: NAMESPACE,
    members: { spec: { finalizers: ['kubernetes'] }, status: {} },
    options: { propagationPolicy: 'Foreground' },
    collectsGarbage: false,
    step: 'marked',
    after: { finalizers: ['foregroundDeletion'] },
  },
  {
    name: 'a generation that the client has chosen',
    before: { generation: rawNumber('9007199254740993') as unknown as number, finalizers: ['e.com/f'] },
    step: 'marked',
    after: { generation: rawNumber('9007199254740994') as unknown as number },
  },
  { name: 'orphanDependents false', options: { orphanDependents: false }, step: 'remove' },
  {
    name: 'the finalizer of a policy stands last',
    before: { finalizers: ['orphan', 'e.com/f'] },
    options: { propagationPolicy: 'Foreground' },
    step: 'marked',
    after: { finalizers: ['e.com/f', 'foregroundDeletion'] },
  },
  {
    name: 'the same policy again changes nothing',
    before: { finalizers: ['orphan', 'e.com/f'], ...deleted(0) },
    options: { propagationPolicy: 'Orphan' },
    step: 'unchanged',
    after: { finalizers: ['orphan', 'e.com/f'] },
  },
  {
    name: 'a later policy replaces an earlier one',
    before: { finalizers: ['orphan'], ...deleted(0) },
    options: { propagationPolicy: 'Foreground' },
    step: 'marked',
    after: { finalizers: ['foregroundDeletion'] },
  },
  {
    name: 'Background takes the last finalizer away',
    before: { finalizers: ['orphan'] },
    options: { propagationPolicy: 'Background' },
    step: 'release',
    after: { finalizers: undefined, deletionTimestamp: undefined },
  },
  { name: 'a resource that orphans by default', fallback: 'Orphan', step: 'marked', after: { finalizers: ['orphan'] } },
  { name: 'a policy overrides that', fallback: 'Orphan', options: { propagationPolicy: 'Background' }, step: 'remove' },
  {
    name: 'so does a finalizer',
    fallback: 'Orphan',
    before: { finalizers: ['foregroundDeletion'] },
    step: 'marked',
    after: { finalizers: ['foregroundDeletion'] },
  },
  {
    name: 'a resource outside of garbage collection',
    fallback: 'Unsupported',
    options: { propagationPolicy: 'Foreground' },
    step: 'remove',
  },
  { name: 'a grace period without graceful deletion', options: { gracePeriodSeconds: 30 }, step: 'remove' },

  {
    name: 'pod: its own grace',
    hub: POD,
    members: BOUND,
    before: { generation: 1 },
    step: 'marked',
    after: { ...deleted(30, LATER), generation: 2 },
  },
  { name: 'pod: no node', hub: POD, members: { spec: { terminationGracePeriodSeconds: 30 } }, step: 'markAndRemove', after: deleted(0) },
  { name: 'pod: ended', hub: POD, members: { ...BOUND, status: { phase: 'Succeeded' } }, step: 'markAndRemove', after: deleted(0) },
  { name: 'pod: at once', hub: POD, members: BOUND, options: { gracePeriodSeconds: 0 }, step: 'markAndRemove', after: deleted(0) },
  {
    name: 'pod: negative grace',
    hub: POD,
    members: BOUND,
    options: { gracePeriodSeconds: -5 },
    step: 'marked',
    after: deleted(1, '2026-01-01T00:00:01Z'),
  },
  {
    name: 'pod: a period of more nanoseconds than 64 bits count, which wraps around as in 1.32',
    hub: POD,
    members: BOUND,
    options: { gracePeriodSeconds: 1_000_000_000_000 },
    step: 'marked',
    after: deleted(1_000_000_000_000, '2148-10-27T00:40:19Z'),
  },
  {
    name: 'pod: the longest period',
    hub: POD,
    members: BOUND,
    options: { gracePeriodSeconds: rawNumber('9223372036854775807') },
    step: 'marked',
    after: { deletionTimestamp: '2025-12-31T23:59:59Z', deletionGracePeriodSeconds: rawNumber('9223372036854775807') },
  },
  {
    name: 'pod: shorter than the longest',
    hub: POD,
    members: BOUND,
    before: { deletionTimestamp: '2025-12-31T23:59:59Z', deletionGracePeriodSeconds: rawNumber('9223372036854775807') },
    options: { gracePeriodSeconds: 30 },
    step: 'marked',
    after: deleted(30, LATER),
  },
  {
    name: 'pod: at once, but held',
    hub: POD,
    members: BOUND,
    before: { finalizers: ['e.com/f'] },
    options: { gracePeriodSeconds: 0 },
    step: 'marked',
    after: deleted(0),
  },
  {
    name: 'pod: a second delete waits as long',
    hub: POD,
    members: BOUND,
    before: deleted(60, '2026-01-01T00:01:00Z'),
    step: 'pending',
    after: deleted(60, '2026-01-01T00:01:00Z'),
  },
  {
    name: 'pod: not longer',
    hub: POD,
    members: BOUND,
    before: deleted(60, '2026-01-01T00:01:00Z'),
    options: { gracePeriodSeconds: 90 },
    step: 'pending',
  },
  {
    name: 'pod: shorter, from when it began',
    hub: POD,
    members: BOUND,
    before: { ...deleted(60, '2026-01-01T00:00:40Z'), generation: 2 },
    options: { gracePeriodSeconds: 30 },
    step: 'marked',
    after: { ...deleted(30, '2026-01-01T00:00:10Z'), generation: 2 },
  },
  {
    name: 'pod: shorter, to nothing',
    hub: POD,
    members: BOUND,
    before: deleted(60),
    options: { gracePeriodSeconds: 0 },
    step: 'markAndRemove',
  },
  {
    name: 'pod: a policy is too late while the grace period runs',
    hub: POD,
    members: BOUND,
    before: deleted(60),
    options: { propagationPolicy: 'Orphan' },
    step: 'pending',
    after: { finalizers: undefined },
  },
  { name: 'pod: the marks were stored, the removal was not', hub: POD, members: BOUND, before: deleted(0), step: 'remove' },

  {
    name: 'namespace: marked, whatever holds it',
    hub: NAMESPACE,
    members: { spec: {}, status: { phase: 'Active' } },
    step: 'marked',
    after: { deletionTimestamp: NOW, deletionGracePeriodSeconds: undefined },
  },
  {
    name: 'namespace: held by its content',
    hub: NAMESPACE,
    members: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } },
    before: { deletionTimestamp: NOW },
    options: { propagationPolicy: 'Foreground' },
    step: 'pending',
    after: { finalizers: undefined },
  },
  { name: 'namespace: let go', hub: NAMESPACE, members: { spec: {}, status: {} }, before: { deletionTimestamp: NOW }, step: 'remove' },
  {
    name: 'namespace: orphanDependents false means Foreground',
    hub: NAMESPACE,
    members: { spec: { finalizers: ['kubernetes'] }, status: {} },
    options: { orphanDependents: false },
    step: 'marked',
    after: { finalizers: ['foregroundDeletion'] },
  },
  {
    name: 'definition of custom resources: marked, a policy is heard later',
    hub: DEFINITION,
    options: { propagationPolicy: 'Foreground' },
    step: 'marked',
    after: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'], deletionGracePeriodSeconds: undefined },
  },
  {
    name: 'definition of custom resources: a second delete while its objects go',
    hub: DEFINITION,
    before: { deletionTimestamp: NOW, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
    options: { propagationPolicy: 'Foreground' },
    step: 'marked',
    after: { ...deleted(0), finalizers: ['customresourcecleanup.apiextensions.k8s.io', 'foregroundDeletion'] },
  },
];

const steps = suite('one delete');
for (const { name, hub = PLAIN, fallback, before = {}, members = {}, options = {}, collectsGarbage = true, step, after = {} } of rows)
  steps(name, () => {
    const target: ApiObject = object('v1', 'Thing', structuredClone(members), { ...before });
    assert.is(markForDeletion(resource(fallback), hub, target, options, context, { collectsGarbage }), step);
    for (const [member, value] of Object.entries(after)) assert.equal(target.metadata[member as keyof ObjectMeta], value, member);
  });
steps.run();

const UID = '11111111-2222-3333-4444-555555555555';
const conflicts: readonly { name: string; hub: Kind; preconditions: DeleteOptions['preconditions']; message: string | undefined }[] = [
  { name: 'the right ones', hub: PLAIN, preconditions: { uid: 'u', resourceVersion: '7' }, message: undefined },
  {
    name: 'another uid',
    hub: PLAIN,
    preconditions: { uid: UID },
    message: `Operation cannot be fulfilled on Thing "x": the UID in the precondition (${UID}) does not match the UID in record (u). The object might have been deleted and then recreated`,
  },
  {
    name: 'another version',
    hub: PLAIN,
    preconditions: { uid: 'u', resourceVersion: '6' },
    message:
      'Operation cannot be fulfilled on Thing "x": the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified',
  },
  {
    name: 'of a kind that is stored as one of another group',
    hub: { ...PLAIN, group: 'e.com' } as Kind,
    preconditions: { uid: UID },
    message: `Operation cannot be fulfilled on Thing.e.com "x": the UID in the precondition (${UID}) does not match the UID in record (u). The object might have been deleted and then recreated`,
  },
  {
    name: 'another uid of a kind that marks itself',
    hub: NAMESPACE,
    preconditions: { uid: UID },
    message: `Operation cannot be fulfilled on things "x": Precondition failed: UID in precondition: ${UID}, UID in object meta: u`,
  },
];
const preconditions = suite('preconditions');
for (const { name, hub, preconditions: given, message } of conflicts)
  preconditions(name, () => {
    const target = object('v1', 'Thing', {}, { uid: 'u', resourceVersion: '7' });
    const check = () => preconditionConflict(resource(), hub, target, { preconditions: given });
    if (message === undefined) return check();
    assert.throws(check, (error: unknown) => error instanceof StatusError && error.code === 409 && error.message === message);
  });
preconditions.run();

const admitted = suite('options that admission is shown');
const shown: readonly (readonly [name: string, hub: Kind, begun: boolean, options: DeleteOptions, expected: object])[] = [
  ['nothing is asked for', PLAIN, false, {}, {}],
  ['a grace period', PLAIN, false, { gracePeriodSeconds: 7 }, { gracePeriodSeconds: 7 }],
  ['none', PLAIN, false, { gracePeriodSeconds: 0 }, { gracePeriodSeconds: 0 }],
  ['a negative one', PLAIN, false, { gracePeriodSeconds: -5 }, { gracePeriodSeconds: 1 }],
  ['a pod begins to go', POD, false, { gracePeriodSeconds: 9 }, { gracePeriodSeconds: 30 }],
  ['a pod goes already', POD, true, { gracePeriodSeconds: 9 }, { gracePeriodSeconds: 9 }],
  ['a kind marks itself', NAMESPACE, false, {}, { preconditions: { uid: 'u' } }],
  [
    'a kind marks itself, and the client has conditions',
    NAMESPACE,
    false,
    { preconditions: { uid: 'v', resourceVersion: '7' } },
    { preconditions: { uid: 'v', resourceVersion: '7' } },
  ],
];
for (const [name, hub, begun, options, expected] of shown)
  admitted(name, () => {
    const old = object('v1', 'Thing', {}, { uid: 'u', ...(begun && deleted(30)) });
    const marked = object('v1', 'Thing', {}, { uid: 'u', ...deleted(30) });
    assert.equal(takenOptions(hub, old, marked, options), expected);
  });
admitted.run();
