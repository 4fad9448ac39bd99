/** The cost of a decision: the same reads by the administrator, by a user with one role, and by that user among many roles and bindings. */
import { type Bench, request } from '../bench.ts';
import { NUMBER } from '../load/numbered-request.ts';
import { podName } from '../objects.ts';
import { requestText } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';
import { fill, fillWithPods } from './fill.ts';

const PODS = 100;
const ROLES = 1_000;
const BINDINGS = 2_000;
const READER = 'bench-reader';

export async function measureAccess(bench: Bench): Promise<void> {
  const { target, options, groupDomain } = bench;
  const namespace = await bench.makeNamespace();
  await fillWithPods(bench, namespace, PODS);
  const api = `/apis/rbac.authorization.${groupDomain}/v1/namespaces/${namespace}`;
  const group = `rbac.authorization.${groupDomain}`;
  const role = (name: string): string =>
    JSON.stringify({
      apiVersion: `${group}/v1`,
      kind: 'Role',
      metadata: { name },
      rules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'services', 'configmaps'] },
        { verbs: ['*'], apiGroups: ['apps'], resources: ['deployments', 'replicasets'] },
      ],
    });
  const binding = (name: string, of: string, subject: object): string =>
    JSON.stringify({
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata: { name },
      subjects: [subject],
      roleRef: { apiGroup: group, kind: 'Role', name: of },
    });
  await request(target, 'POST', `${api}/roles`, role(READER));
  await request(target, 'POST', `${api}/rolebindings`, binding(READER, READER, { kind: 'User', apiGroup: group, name: READER }));
  const measure = (name: string, headers: Record<string, string>) =>
    closedLoopRow(bench, 'access', name, {
      request: requestText(target, 'GET', `/api/v1/namespaces/${namespace}/pods/${podName}`, '', headers),
      connections: options.connections,
      cycle: PODS,
    });
  const asReader = { 'Impersonate-User': READER };
  await measure('administrator', {});
  await measure('user with one role', asReader);
  await fill(bench, `${api}/roles`, role(`role-${NUMBER}`), ROLES);
  // half of them for the reader's own group, so that a search would meet them
  const everybody = { kind: 'Group', apiGroup: group, name: 'system:authenticated' };
  await fill(bench, `${api}/rolebindings`, binding(`all-${NUMBER}`, `role-${NUMBER}`, everybody), BINDINGS / 2);
  await fill(
    bench,
    `${api}/rolebindings`,
    binding(`own-${NUMBER}`, `role-${NUMBER}`, { kind: 'User', apiGroup: group, name: `user-${NUMBER}` }),
    BINDINGS / 2,
  );
  await measure(`among ${ROLES} roles, ${BINDINGS} bindings`, asReader);
}
