import type { ApiObject } from '../../../contract/object.ts';
import { copyValue } from '../../../schema/copy.ts';
import { newBadRequest, newConflict, newUnclassified, type Status } from '../../../status/status.ts';
import { objectErrors } from '../../../validation/kind-errors.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import { type ResourceRequest, sendStatus } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { updateOptions } from '../verbs/update.ts';
import { beginNew, readWrite, tracedWrite, type Write } from '../verbs/write.ts';

const BOUND: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** POST of a Binding, to `bindings` or to a pod's subresource `binding`: gives a pod to a node, once. */
export async function bind(request: ResourceRequest): Promise<void> {
  const write = await readWrite(request, 'create');
  // below a pod the uid is a condition
  if (request.info.subresource === '') beginNew(request, write.object);
  else requireNamespace(request, write.object);
  await tracedWrite(request, () => assign(request, write));
  const code = request.server.identity.createStatus;
  return sendStatus(request, { ...BOUND, code }, code);
}

async function assign(request: ResourceRequest, { options, object }: Write): Promise<void> {
  const { server, kind, info } = request;
  const binding = kind.toHub(object);
  const name = info.name === '' ? (binding.metadata.name ?? '') : info.name;
  const admission = new WriteAdmission(request, 'create', options);
  await admission.mutate(binding, undefined);
  if (info.name !== '' && binding.metadata.name !== info.name) throw newBadRequest('name in URL does not match name in Binding object');
  const errors = objectErrors(kind.hub, binding, undefined, server.ruleContext(options.dryRun, request.client));
  if (errors.length > 0) throw newUnclassified(errors);
  // before labels of nodes were copied, those of a binding had no effect
  const bound = server.featureEnabled('PodTopologyLabelsAdmission') ? binding : withoutLabels(binding);
  // as in 1.32, validating admission is asked once, and before anybody looks whether there is such a pod
  await admission.validate(binding, undefined);
  const store = await podStore(request);
  await store.update(info.namespace, name, (pod) => assigned(pod, bound, name), {
    ...updateOptions(request, options, { validate: async () => undefined }),
    target: 'prepared',
    retry: true,
  });
}

async function podStore({ server, registry }: ResourceRequest) {
  const pods = registry.resource('', 'v1', 'pods');
  if (pods === undefined) throw new Error('pods are not served');
  return server.store(pods);
}

function withoutLabels({ metadata: { labels: _, ...metadata }, ...binding }: ApiObject): ApiObject {
  return { ...binding, metadata } as ApiObject;
}

const PODS = { group: '', resource: 'pods/binding' };

/** What a binding says of the pod is held against it as it is written, before anything else. @throws StatusError Conflict */
function requireMeant(old: ApiObject, binding: ApiObject, name: string): void {
  for (const [what, member] of [
    ['UID', 'uid'],
    ['ResourceVersion', 'resourceVersion'],
  ] as const) {
    const [wanted = '', actual] = [binding.metadata[member], old.metadata[member]];
    if (wanted === '' || wanted === actual) continue;
    const cause = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`;
    throw newConflict({ group: '', resource: 'pods' }, name, cause);
  }
}

function assigned(old: ApiObject, binding: ApiObject, name: string): ApiObject {
  const { annotations, labels } = binding.metadata;
  requireMeant(old, binding, name);
  if (old.metadata.deletionTimestamp !== undefined)
    throw newConflict(PODS, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  const host: string = old.spec.nodeName ?? '';
  if (host !== '') throw newConflict(PODS, name, `pod ${name} is already assigned to node ${JSON.stringify(host)}`);
  if ((old.spec.schedulingGates ?? []).length > 0) throw newConflict(PODS, name, `pod ${name} has non-empty .spec.schedulingGates`);
  const pod = copyValue(old);
  pod.metadata.resourceVersion = '';
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels !== undefined) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  pod.spec.nodeName = binding.target.name;
  const conditions: ApiObject[] = pod.status?.conditions ?? [];
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  pod.status = { ...pod.status, conditions: [...conditions.filter(({ type }) => type !== 'PodScheduled'), scheduled] };
  return pod;
}
