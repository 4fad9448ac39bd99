/** Creates of pods that validating policies look at: what each policy with one usual rule adds, and what those add that are for others. */
import { type Bench, request } from '../bench.ts';
import { podBody } from '../objects.ts';
import { requestText } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';

const RULE =
  'object.spec.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || c.securityContext.privileged == false)';
const MATCHING = [0, 1, 10, 100];
const OTHERS = 1_000;

export async function measurePolicy(bench: Bench): Promise<void> {
  let there = 0;
  for (const count of MATCHING) {
    for (; there < count; there++) await addPolicy(bench, `matching-${there}`, 'pods');
    await measure(bench, `${count} matching`);
  }
  for (let other = 0; other < OTHERS; other++) await addPolicy(bench, `other-${other}`, 'secrets');
  await measure(bench, `${there} matching, ${OTHERS} others`);
}

async function measure(bench: Bench, name: string): Promise<void> {
  const namespace = await bench.makeNamespace();
  const text = requestText(bench.target, 'POST', `/api/v1/namespaces/${namespace}/pods`, podBody());
  await closedLoopRow(bench, 'policy', name, { request: text, connections: 1 });
}

async function addPolicy({ target, groupDomain }: Bench, name: string, resource: string): Promise<void> {
  const apiVersion = `admissionregistration.${groupDomain}/v1`;
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [resource] }];
  const spec = { matchConstraints: { resourceRules }, validations: [{ expression: RULE, message: 'no container may be privileged' }] };
  const kind = 'ValidatingAdmissionPolicy';
  const path = `/apis/${apiVersion}/validatingadmissionpolic`;
  await request(target, 'POST', `${path}ies`, JSON.stringify({ apiVersion, kind, metadata: { name }, spec }));
  const binding = { apiVersion, kind: `${kind}Binding`, metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } };
  await request(target, 'POST', `${path}ybindings`, JSON.stringify(binding));
}
