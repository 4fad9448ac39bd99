/** Logs, commands, terminals and forwarded ports with the stock command-line client, in both of its protocols. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startAgentCluster } from '../../harness/agent-cluster.ts';
import { eventually } from '../../harness/eventually.ts';
import { findKubectl, KUBECTL_MISSING, Kubectl } from '../../harness/kubectl.ts';

/** kubectl says so where the server's first message, which is empty, comes before it has made its streams: it does not miss anything. */
const EARLY = /^E\d+ .*websocket\.go:\d+\] Unknown stream id \d+, discarding message\n/;
const test = suite('kubectl through the node agent');
const program = await findKubectl();
if (program === undefined) console.log(KUBECTL_MISSING);
else {
  const cluster = await startAgentCluster();
  const kubectl = await Kubectl.create(program, cluster.server);
  test.after(async () => {
    assert.equal(cluster.server.faults(), []);
    await cluster.stop();
  });

  // The agent knows SPDY alone: which protocol the client has spoken shows in who offers versions to the agent, the server or the client.
  const protocols: readonly { name: string; offered: RegExp; environment: Record<string, string> }[] = [
    { name: 'WebSocket', offered: /^POST SPDY\/3\.1 v5\.channel\.k8s\.io, v4\.channel\.k8s\.io$/, environment: {} },
    {
      name: 'SPDY',
      offered: /^POST SPDY\/3\.1 v5\.channel\.k8s\.io, v4\.channel\.k8s\.io, v3\.channel\.k8s\.io, /,
      environment: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' },
    },
  ];
  const asked = (): string[] =>
    cluster.agent.asked.map(({ method, headers }) => `${method} ${headers.upgrade} ${headers['x-stream-protocol-version']}`);
  const commands: readonly { command: string; input?: string; code: number; stdout: string; stderr: RegExp }[] = [
    { command: 'exec one -- echo some words', code: 0, stdout: 'some words\n', stderr: /^$/ },
    { command: 'exec two -c right -- echo there', code: 0, stdout: 'there\n', stderr: /^$/ },
    { command: 'exec -i one -- cat', input: 'line\n'.repeat(50_000), code: 0, stdout: 'line\n'.repeat(50_000), stderr: /^$/ },
    { command: 'exec -i one -- count', input: 'x', code: 0, stdout: '1\n', stderr: /^$/ },
    { command: 'exec one -- unknown', code: 127, stdout: '', stderr: /^command terminated with exit code 127\n$/ },
    { command: 'exec one -- fail 7', code: 7, stdout: '', stderr: /^failing with 7\ncommand terminated with exit code 7\n$/ },
    { command: 'attach -i one', input: 'repeat this', code: 0, stdout: 'repeat this', stderr: /command prompt/ },
  ];
  for (const { name, offered, environment } of protocols) {
    for (const { command, input, ...wanted } of commands)
      test(`${command}, over ${name}`, async () => {
        cluster.agent.asked.length = 0;
        const { code, stdout, stderr } = await kubectl.try(command, input, environment);
        assert.is(code, wanted.code, stderr);
        assert.ok(stdout === wanted.stdout, `${stdout.length} characters: ${stdout.slice(0, 200)}`);
        assert.match(stderr.replace(EARLY, ''), wanted.stderr, stderr);
        // one request: the client has not fallen back to the other protocol
        assert.equal(asked().length, 1);
        assert.match(asked()[0] ?? '', offered);
      });
    test(`port-forward, over ${name}`, async () => {
      cluster.agent.asked.length = 0;
      const child = kubectl.start('port-forward one :8080 -v=5', environment);
      let log = '';
      child.stderr.setEncoding('utf8').on('data', (text) => {
        log += text;
      });
      const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
      const port = Number(/127\.0\.0\.1:(\d+) -> 8080/.exec(line)?.[1]);
      for (const words of ['first', 'second'.repeat(20_000)]) {
        const socket = connect(port, '127.0.0.1');
        socket.write(words);
        const expected = `port 8080\n${words}`;
        let seen = '';
        for await (const chunk of socket.setEncoding('utf8')) {
          seen += chunk;
          if (seen.length >= expected.length) break;
        }
        assert.ok(seen === expected, seen.slice(0, 100));
      }
      child.kill();
      await once(child, 'close');
      assert.not.match(log, /fallback/);
      assert.equal(asked(), ['POST SPDY/3.1 portforward.k8s.io']);
    });
  }

  test('20 MiB of output', async () => {
    const { code, stdout } = await kubectl.try('exec one -- flood 20');
    assert.equal([code, stdout.length], [0, 20 * 1024 * 1024]);
  });

  test('what the agent refuses is said', async () => {
    cluster.agent.misbehaviour = (_request, socket) => {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 19\r\n\r\ncontainer not found');
      return true;
    };
    const { code, stderr } = await kubectl.try('exec one -- echo');
    cluster.agent.misbehaviour = undefined;
    assert.equal([code, stderr], [1, 'error: Internal error occurred: unable to upgrade connection: container not found\n']);
  });

  test('logs', async () => {
    assert.is(await kubectl.run('logs one'), 'first line\nsecond line\n');
    assert.is(await kubectl.run('logs one --tail=1'), 'second line\n');
    assert.is((await kubectl.run('logs two --all-containers')).split('\n').length, 7);
    cluster.agent.asked.length = 0;
    await kubectl.run('logs two -c left --previous --timestamps --since=1m --limit-bytes=9');
    assert.is(cluster.agent.asked[0]?.url, '/containerLogs/default/two/left?limitBytes=9&previous=true&sinceSeconds=60&timestamps=true');
  });

  test('logs -f gets each line as it is written, and ends with the client', async () => {
    const child = kubectl.start('logs -f one');
    let seen = '';
    child.stdout.setEncoding('utf8');
    for await (const text of child.stdout) {
      seen += text;
      if (seen === 'first line\nsecond line\n') cluster.agent.addLine('third line');
      if (seen.endsWith('third line\n')) break;
    }
    child.kill();
    await once(child, 'close');
    await eventually('nobody follows the log', () => cluster.agent.followers === 0);
  });

  test('what cannot be reached is said', async () => {
    const { code, stderr } = await kubectl.try('logs lost');
    assert.is(code, 1);
    assert.match(stderr, /^Error from server \(NotFound\): pods "gone" not found/);
    assert.match((await kubectl.try('exec waiting -- echo')).stderr, /pod waiting does not have a host assigned/);
    assert.match((await kubectl.try('exec two -c other -- echo')).stderr, /container other is not valid for pod two|container not found/i);
  });

  test('the agent through the proxy of its node', async () => {
    assert.is(await kubectl.run('get --raw /api/v1/nodes/near/proxy/pods?x=1'), 'agent: GET /pods?x=1');
  });

  test('component statuses', async () => {
    const { code, stdout, stderr } = await kubectl.try('get componentstatuses etcd-0');
    assert.is(code, 0, stderr);
    assert.match(stdout, /^NAME +STATUS +MESSAGE +ERROR\netcd-0 +Healthy +ok +\n$/);
    assert.match(stderr, /Warning: v1 ComponentStatus is deprecated in v1\.19\+/);
  });
}
test.run();
