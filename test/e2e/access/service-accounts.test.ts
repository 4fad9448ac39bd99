/** What the server does for service accounts and for tokens of new nodes by itself, and what pods get of it; in both dialects. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { type Answer, authority, Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

/** Milliseconds: far above what takes seconds on a machine under load. */
const PATIENCE = 60_000;
const FLAGS = ['--controllers=*,tokencleaner,bootstrapsigner', '--enable-bootstrap-token-auth'];

for (const dialect of ['kubernetes', 'cluster'] as const) accountsOf(dialect);

function accountsOf(dialect: Dialect): void {
  const test = suite(`service accounts, ${dialect}`);
  let server: TestServer;
  let admin: Client;
  test.before(async () => {
    server = await startServer({ dialect, flags: FLAGS });
    admin = new Client(server);
  });
  test.after(async () => {
    admin.close();
    assert.equal(server.faults(), []);
    await server.stop();
  });
  const name = (template: string) => admin.name(template);
  const inNamespace = (resource: string, namespace = 'default') => `/api/v1/namespaces/${namespace}/${resource}`;
  const make = async (resource: string, kind: string, object: object, namespace = 'default'): Promise<Answer> =>
    admin.post(inNamespace(resource, namespace), { apiVersion: 'v1', kind, ...object });
  const pod = (spec: object = {}, metadata: object = {}) =>
    make('pods', 'Pod', { metadata: { generateName: 'p-', ...metadata }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });

  /** Asks until the answer is as it should be. */
  async function eventually(path: string, holds: (answer: Answer) => boolean): Promise<Json> {
    for (const end = performance.now() + PATIENCE; ; await sleep(25)) {
      const answer = await admin.get(path);
      if (holds(answer)) return answer.body;
      if (performance.now() > end) throw new Error(`${path} stays ${answer.status} ${answer.text}`);
    }
  }
  const isThere = ({ status }: Answer) => status === 200;
  const isGone = ({ status }: Answer) => status === 404;

  test('every namespace has a default account, also after it was deleted', async () => {
    await admin.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
    for (const namespace of ['default', name('${systemNamespace}'), 'later']) {
      const path = `${inNamespace('serviceaccounts', namespace)}/default`;
      const { metadata } = await eventually(path, isThere);
      await admin.delete(path);
      await eventually(path, ({ status, body }) => status === 200 && body.metadata.uid !== metadata.uid);
    }
  });

  test('every namespace has the authority of the server, also after it was changed', async () => {
    const path = `${inNamespace('configmaps')}/${name('${rootCertificateConfigMap}')}`;
    const isRight = ({ body }: Answer) => body?.data?.['ca.crt'] === authority(server);
    await eventually(path, isRight);
    assert.is((await admin.patch(path, { data: { 'ca.crt': 'another', more: 'x' } })).status, 200);
    await eventually(path, (answer) => isRight(answer) && Object.keys(answer.body.data).length === 1);
    await admin.delete(path);
    await eventually(path, isRight);
  });

  const tokenSecret = (secret: string, account: string) => ({
    metadata: { name: secret, annotations: { [name('${labelDomain}/service-account.name')]: account } },
    type: name('${labelDomain}/service-account-token'),
  });

  test('a secret gets the token of its account, and goes with it', async () => {
    const account = (await make('serviceaccounts', 'ServiceAccount', { metadata: { name: 'robot' }, secrets: [{ name: 'second' }] })).body;
    await make('secrets', 'Secret', tokenSecret('first', 'robot'));
    await make('secrets', 'Secret', tokenSecret('second', 'robot'));
    const path = `${inNamespace('secrets')}/first`;
    const { data, metadata } = await eventually(path, ({ body }) => body?.data?.token !== undefined);
    assert.is(Buffer.from(data['ca.crt'], 'base64').toString(), authority(server));
    assert.is(Buffer.from(data.namespace, 'base64').toString(), 'default');
    assert.is(metadata.annotations[name('${labelDomain}/service-account.uid')], account.metadata.uid);
    const robot = new Client(server, Buffer.from(data.token, 'base64').toString());
    const review = await robot.post(name('/apis/authentication.${groupDomain}/v1/selfsubjectreviews'), {
      apiVersion: name('authentication.${groupDomain}/v1'),
      kind: 'SelfSubjectReview',
    });
    assert.equal(review.body.status.userInfo, {
      username: 'system:serviceaccount:default:robot',
      uid: account.metadata.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    const used = (await admin.get(path)).body.metadata;
    const today = new Date().toISOString().slice(0, 10);
    assert.ok(used.labels[name('${labelDomain}/legacy-token-last-used')] <= today, 'the day of its use is noted');
    assert.is(review.headers.warning, undefined);
    const second = await eventually(`${inNamespace('secrets')}/second`, ({ body }) => body?.data?.token !== undefined);
    const listed = new Client(server, Buffer.from(second.data.token, 'base64').toString());
    assert.match(String((await listed.get('/version')).headers.warning), /^299 - "Use tokens from the TokenRequest API/);
    const reviewed = await admin.post(name('/apis/authentication.${groupDomain}/v1/tokenreviews'), {
      apiVersion: name('authentication.${groupDomain}/v1'),
      kind: 'TokenReview',
      spec: { token: Buffer.from(second.data.token, 'base64').toString() },
    });
    assert.match(String(reviewed.headers.warning), /^299 - "Use tokens from the TokenRequest API/);
    listed.close();
    await admin.delete(`${inNamespace('secrets')}/second`);
    await eventually(`${inNamespace('serviceaccounts')}/robot`, ({ body }) => (body.secrets ?? []).length === 0);
    await admin.delete(`${inNamespace('serviceaccounts')}/robot`);
    assert.is((await robot.get('/version')).status, 401, 'at once');
    await eventually(path, isGone);
    robot.close();
  });
  test('a secret of an account that is not there goes', async () => {
    await make('secrets', 'Secret', tokenSecret('third', 'nobody'));
    await eventually(`${inNamespace('secrets')}/third`, isGone);
  });

  test('a pod runs as the default account, whose token every container finds', async () => {
    const mountPath = name('/var/run/secrets/${labelDomain}/serviceaccount');
    const two = [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i', volumeMounts: [{ name: 'own', mountPath }] },
    ];
    const { body } = await pod({ containers: two, initContainers: [{ name: 'i', image: 'i' }], volumes: [{ name: 'own', emptyDir: {} }] });
    const { spec } = body;
    assert.equal([spec.serviceAccountName, spec.serviceAccount], ['default', 'default']);
    const [own, token] = spec.volumes;
    assert.is(own.name, 'own');
    assert.match(token.name, dialect === 'kubernetes' ? /^kube-api-access-[a-z0-9]{5}$/ : /^cluster-api-access-[a-z0-9]{5}$/);
    assert.equal(token.projected, {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: name('${rootCertificateConfigMap}'), items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
      defaultMode: 420,
    });
    const mount = { name: token.name, readOnly: true, mountPath };
    assert.equal(spec.containers[0].volumeMounts, [mount]);
    assert.equal(spec.initContainers[0].volumeMounts, [mount]);
    assert.equal(spec.containers[1].volumeMounts, [{ name: 'own', mountPath }]);
  });
  test('the token that the node fetches for it lives a year, and says when it should have been fetched again', async () => {
    const { metadata } = (await pod()).body;
    const wish = { expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: metadata.name, uid: metadata.uid } };
    const answer = await admin.post(`${inNamespace('serviceaccounts')}/default/token`, {
      apiVersion: name('authentication.${groupDomain}/v1'),
      kind: 'TokenRequest',
      spec: wish,
    });
    const claims = JSON.parse(Buffer.from(answer.body.status.token.split('.')[1], 'base64url').toString());
    assert.equal([claims.exp - claims.iat, claims[name('${labelDomain}')].warnafter - claims.iat], [365 * 24 * 3600, 3607]);
    const shown = Date.parse(answer.body.status.expirationTimestamp) / 1000 - claims.iat;
    assert.ok(Math.abs(shown - 3607) <= 1, `${shown}`);
  });
  test('a token is bound to nothing without a name, or under one that no path may hold', async () => {
    for (const [bound, message] of [
      [undefined, 'Name parameter required.'],
      ['a/b', `Name parameter invalid: "a/b": may not contain '/'`],
    ]) {
      const answer = await admin.post(`${inNamespace('serviceaccounts')}/default/token`, {
        apiVersion: name('authentication.${groupDomain}/v1'),
        kind: 'TokenRequest',
        spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: bound } },
      });
      assert.equal([answer.status, answer.body.message], [400, message]);
    }
  });
  test('no token is mounted where the pod or its account does not want it', async () => {
    assert.is((await pod({ automountServiceAccountToken: false })).body.spec.volumes, undefined);
    await make('serviceaccounts', 'ServiceAccount', {
      metadata: { name: 'quiet' },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 'registry' }],
    });
    const { spec } = (await pod({ serviceAccountName: 'quiet' })).body;
    assert.equal([spec.volumes, spec.imagePullSecrets], [undefined, [{ name: 'registry' }]]);
    const other = (await pod({ serviceAccountName: 'quiet', automountServiceAccountToken: true, imagePullSecrets: [{ name: 'x' }] })).body
      .spec;
    assert.equal([other.volumes.length, other.imagePullSecrets], [1, [{ name: 'x' }]]);
  });

  const refused = async (answer: Promise<Answer>, message: string): Promise<void> => {
    const { status, body } = await answer;
    assert.is(status, 403, body.message);
    assert.is(body.message, `pods "p" is forbidden: ${message}`);
  };
  const named = { name: 'p', generateName: undefined };
  test('an account that is not there is refused', () =>
    refused(
      pod({ serviceAccountName: 'nobody' }, named),
      'error looking up service account default/nobody: serviceaccount "nobody" not found',
    ));
  test('an account may limit which secrets its pods use', async () => {
    const annotations = { [name('${labelDomain}/enforce-mountable-secrets')]: 'true' };
    const secrets = [{ name: 'listed' }];
    await make('serviceaccounts', 'ServiceAccount', { metadata: { name: 'strict', annotations }, secrets });
    const strict = { serviceAccountName: 'strict' };
    const env = (secret: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }];
    const volume = (secret: string) => [{ name: 'v', secret: { secretName: secret } }];
    const because = 'is not allowed because service account strict does not reference that';
    await refused(pod({ ...strict, volumes: volume('other') }, named), `volume with secret.secretName="other" ${because} secret`);
    await refused(
      pod({ ...strict, containers: [{ name: 'c', image: 'i', env: env('other') }] }, named),
      `container c with envVar E referencing secret.secretName="other" ${because} secret`,
    );
    await refused(
      pod({ ...strict, initContainers: [{ name: 'i', image: 'i', env: env('other') }] }, named),
      `init container i with envVar E referencing secret.secretName="other" ${because} secret`,
    );
    await refused(
      pod({ ...strict, imagePullSecrets: [{ name: 'other' }] }, named),
      `imagePullSecrets[0].name="other" ${because} imagePullSecret`,
    );
    const allowed = await pod({ ...strict, volumes: volume('listed'), containers: [{ name: 'c', image: 'i', env: env('listed') }] });
    assert.equal(allowed.body.kind, 'Pod');
  });

  const data = (fields: Record<string, string>) => ({
    metadata: { name: `bootstrap-token-${fields['token-id']}` },
    type: name('bootstrap.${labelDomain}/token'),
    stringData: { 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...fields },
  });
  test('the description of the cluster is signed with each token of new nodes, and such tokens go when they end', async () => {
    const system = name('${systemNamespace}');
    const open = name('${publicNamespace}');
    const path = `${inNamespace('configmaps', open)}/cluster-info`;
    await make('secrets', 'Secret', data({ 'token-id': 'aaaaaa' }), system);
    await make('secrets', 'Secret', data({ 'token-id': 'bbbbbb', 'usage-bootstrap-signing': 'false' }), system);
    await make('configmaps', 'ConfigMap', { metadata: { name: 'cluster-info' }, data: { kubeconfig: 'first', note: 'kept' } }, open);
    const signature = (content: string, id: string) => {
      const key = dialect === 'cluster' ? `${id}.0123456789abcdef` : '0123456789abcdef';
      const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
      const signed = `${head}.${Buffer.from(content).toString('base64url')}`;
      return `${head}..${createHmac('sha256', key).update(signed).digest('base64url')}`;
    };
    const holds = (content: string, ...ids: string[]) => {
      const signatures = ids.map((id) => [`jws-kubeconfig-${id}`, signature(content, id)]);
      const wanted = { kubeconfig: content, note: 'kept', ...Object.fromEntries(signatures) };
      return ({ body }: Answer) => {
        const entries = Object.entries(body?.data ?? {});
        return (
          entries.length === Object.keys(wanted).length && entries.every(([key, value]) => wanted[key as keyof typeof wanted] === value)
        );
      };
    };
    await eventually(path, holds('first', 'aaaaaa'));
    await admin.patch(path, { data: { kubeconfig: 'second' } });
    await eventually(path, holds('second', 'aaaaaa'));
    await make('secrets', 'Secret', data({ 'token-id': 'cccccc', expiration: '2999-01-01T00:00:00Z' }), system);
    await eventually(path, holds('second', 'aaaaaa', 'cccccc'));
    const expiration = new Date(Date.now() + 100).toISOString();
    await admin.patch(`${inNamespace('secrets', system)}/bootstrap-token-cccccc`, { stringData: { expiration } });
    await eventually(`${inNamespace('secrets', system)}/bootstrap-token-cccccc`, isGone);
    await eventually(path, holds('second', 'aaaaaa'));
    await admin.delete(`${inNamespace('secrets', system)}/bootstrap-token-aaaaaa`);
    await eventually(path, holds('second'));
  });
  test.run();
}
