/** SIGHUP has all processes of a server read its files again; what is wrong is told and changes nothing. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('files that are read again');

let folder: string;
test.before.each(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reread-'));
});
test.after.each(() => rm(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const policyOf = (level: string) => JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level }] });
const right = (user: string, resource: string) =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec: { user, resource, namespace: '*' } });
const anonymousOf = (paths: readonly string[]) =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    anonymous: { enabled: true, conditions: paths.map((each) => ({ path: each })) },
  });

/** Asks on new connections, so that every process is asked. @returns the statuses that there were */
async function statuses(server: TestServer, token: string, at: string): Promise<number[]> {
  const found = new Set<number>();
  for (let i = 0; i < 6; i++) {
    const client = new Client(server, token);
    found.add((await client.get(at)).status);
    client.close();
  }
  return [...found];
}

/** Resolves when as many lines of the log have the text. */
async function logged(server: TestServer, text: string, count: number): Promise<void> {
  for (const until = Date.now() + 30_000; ; await sleep(20)) {
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line.includes(text));
    if (lines.length >= count) return;
    assert.ok(Date.now() < until, `${text} stands ${lines.length} times in ${server.log()}`);
  }
}

for (const workers of [1, 2])
  test(`by ${workers} process(es)`, async () => {
    const rights = write('rights.jsonl', right('alice', 'configmaps'));
    const policy = write('policy.json', policyOf('Metadata'));
    const anonymous = write('authentication.json', anonymousOf(['/livez']));
    const records = path.join(folder, 'audit.log');
    const server = await startServer({
      dialect: 'kubernetes',
      flags: [
        '-v=1',
        `--workers=${workers}`,
        '--authorization-mode=ABAC,RBAC',
        `--authorization-policy-file=${rights}`,
        `--authentication-config=${anonymous}`,
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${records}`,
        '--audit-log-mode=blocking',
        '--feature-gates=AnonymousAuthConfigurableEndpoints=true',
      ],
    });
    const tokens = path.join(server.directory, 'tokens.csv');
    const [CONFIGMAPS, SECRETS] = ['configmaps', 'secrets'].map((name) => `/api/v1/namespaces/default/${name}`) as [string, string];
    const reread = async (times: number): Promise<void> => {
      process.kill(server.pid, 'SIGHUP');
      await logged(server, '"files have been read again"', times);
    };
    try {
      assert.equal(await statuses(server, 'alice-token', CONFIGMAPS), [200]);
      assert.equal(await statuses(server, 'alice-token', SECRETS), [403]);
      assert.equal(await statuses(server, '', '/readyz'), [401]);
      await reread(1);
      assert.match(server.log(), '"changed":0,"same":4,"failed":0');

      writeFileSync(tokens, `${await readFile(tokens, 'utf8')}bobs-token,bob,1002\n`);
      writeFileSync(rights, [right('alice', 'secrets'), right('bob', 'secrets')].join('\n'));
      writeFileSync(policy, policyOf('None'));
      assert.equal(await statuses(server, 'bobs-token', SECRETS), [401], 'a file was read that nobody has asked for');
      await reread(2);
      assert.equal(await statuses(server, 'alice-token', CONFIGMAPS), [403]);
      assert.equal(await statuses(server, 'bobs-token', SECRETS), [200]);
      const recorded = (await readFile(records, 'utf8')).length;
      assert.ok(recorded > 0);
      await statuses(server, 'bobs-token', SECRETS);
      assert.is((await readFile(records, 'utf8')).length, recorded);

      writeFileSync(tokens, 'one-column\n');
      writeFileSync(rights, '{');
      writeFileSync(policy, policyOf('Some'));
      await reread(3);
      for (const flag of ['token-auth-file', 'authorization-policy-file', 'audit-policy-file'])
        await logged(server, `"msg":"--${flag}: the new text of the file is not used"`, workers);
      assert.match(server.log(), '"changed":0,"same":1,"failed":3');
      assert.equal(await statuses(server, 'bobs-token', SECRETS), [200]);
      assert.equal(await statuses(server, 'alice-token', CONFIGMAPS), [403]);

      // what was wrong is tried again whenever somebody asks, and told again
      await reread(4);
      await logged(server, '"msg":"--token-auth-file: the new text of the file is not used"', 2 * workers);
      write('authentication.json', anonymousOf(['/livez', '/readyz']));
      await reread(5);
      assert.equal(await statuses(server, '', '/livez'), [200]);
      assert.equal(await statuses(server, '', '/readyz'), [401], 'who may be anonymous has changed after the start');
      const { text } = await new Client(server).get('/metrics');
      assert.match(text, /^apiserver_authentication_config_controller_automatic_reloads_total\{.*status="success".*\} [1-9]/m);
    } finally {
      assert.is(await server.stop(), 0);
    }
  });

test.run();
