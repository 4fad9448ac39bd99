/** Logs and streams through a node agent: options, refusals, agents and clients that misbehave. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { startAgentCluster } from '../../harness/agent-cluster.ts';
import { authority } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { attacksOn } from '../../harness/hostile.ts';
import { NodeAgent } from '../../harness/node-agent.ts';
import { connect, exchange } from '../../harness/raw.ts';

const { server, agent, client, pod, ...cluster } = await startAgentCluster({ flags: ['--kubelet-timeout=700ms'] });
/** Another agent, whose certificate an authority has signed that the server does not know. */
const stranger = await NodeAgent.start(`${server.directory}/stranger`);
/** Takes connections and says nothing. */
const sockets = new Set<Socket>();
const silent = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
await once(silent, 'listening');
for (const [name, port] of [
  ['strange', stranger.port],
  ['silent', (silent.address() as AddressInfo).port],
  ['closed', 1],
] as const) {
  const status = { addresses: [{ type: 'Hostname', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await client.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, status });
  const spec = { nodeName: name, containers: [{ name: 'main', image: 'x' }] };
  await client.post('/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
}

const test = suite('relays');
const attack = attacksOn(server, test);
test.before.each(() => {
  agent.misbehaviour = undefined;
  agent.asked.length = 0;
});
test.after(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await stranger.stop();
  await cluster.stop();
});

test('a log is plain text', async () => {
  const { status, headers, text } = await client.get(`${pod('one')}/log`, { accept: 'text/plain, */*' });
  assert.equal([status, headers['content-type'], text], [200, 'text/plain', 'first line\nsecond line\n']);
});
test('the agent gets the options as they are meant, with the certificate of this server and none of the client’s credentials', async () => {
  await client.get(
    `${pod('two')}/log?container=right&follow=false&previous=1&sinceTime=2024-05-06T07:08:09%2B02:00&tailLines=9223372036854775807`,
  );
  const [asked] = agent.asked;
  assert.is(asked?.url, '/containerLogs/default/two/right?previous=true&sinceTime=2024-05-06T05%3A08%3A09Z&tailLines=9223372036854775807');
  assert.is(asked?.client, 'apiserver-of-the-test');
  assert.is(asked?.headers.authorization, undefined);
});
test('nobody has run the pod yet: no content', async () => {
  const { status, text } = await client.get(`${pod('waiting')}/log`);
  assert.equal([status, text], [204, '']);
});

const until = (condition: () => boolean): Promise<void> => eventually(String(condition), condition);

const refusals: [path: string, code: number, message: RegExp][] = [
  ['none/log', 404, /^pods "none" not found$/],
  ['lost/log', 404, /^pods "gone" not found$/],
  ['strayed/log', 500, /^no preferred addresses found; known addresses: \[\{Other 10\.1\.1\.1\}\]$/],
  ['two/log', 400, /^a container name must be specified for pod two, choose one of: \[first left right\]$/],
  ['two/log?container=middle', 400, /^container middle is not valid for pod two$/],
  ['one/log?tailLines=x', 400, /^strconv\.ParseInt: parsing "x": invalid syntax$/],
  ['one/log?tailLines=', 400, /^strconv\.ParseInt: parsing "": invalid syntax$/],
  ['one/log?tailLines=9223372036854775808', 400, /value out of range$/],
  [`one/log?limitBytes=${'9'.repeat(100_000)}`, 400, /value out of range$/],
  ['one/log?sinceTime=yesterday', 400, /^parsing time "yesterday" as /],
  ['one/log?tailLines=-1', 422, /^PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0$/],
  ['one/log?limitBytes=0', 422, /^PodLogOptions "one" is invalid: limitBytes: Invalid value: 0: must be greater than 0$/],
  ['one/log?sinceSeconds=0', 422, /^PodLogOptions "one" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0$/],
  ['one/log?stream=Stdout', 422, /^PodLogOptions "one" is invalid: stream: Forbidden: may not be specified$/],
  [
    'one/log?sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z',
    422,
    /^PodLogOptions "one" is invalid: \[\]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified$/,
  ],
  ['one/log/more', 404, /could not find the requested resource/],
  ['one/exec?command=ls', 400, /^Upgrade request required$/],
  ['waiting/exec?command=ls', 400, /^pod waiting does not have a host assigned$/],
  ['two/attach', 400, /^a container name must be specified for pod two/],
  ['one/portforward?ports=x', 400, /^cannot convert to \[\]int32: strconv\.ParseUint: parsing "x": invalid syntax$/],
  ['one/portforward?ports=80,+1', 400, /^cannot convert to \[\]int32: strconv\.ParseUint: parsing " 1": invalid syntax$/],
  ['one/portforward?ports=80,65536', 400, /^cannot convert to \[\]int32: strconv\.ParseUint: parsing "65536": value out of range$/],
  [
    'closed/log',
    500,
    /^Get "https:\/\/127\.0\.0\.1:1\/containerLogs\/default\/closed\/main": dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
  ],
  ['silent/log', 500, /^Get "https:.*": net\/http: TLS handshake timeout$/],
  ['strange/log', 500, /^Get "https:.*": tls: .*certificate/],
];
for (const [path, code, message] of refusals)
  attack(`${path.slice(0, 60)} is refused`, async () => {
    const { status, body } = await client.get(pod(path));
    assert.equal([status, body.kind, body.status, body.code], [code, 'Status', 'Failure', code]);
    assert.match(body.message, message);
  });
/** Requests for logs, by whether agents are verified, and those that could not be. */
async function figuresOfLogs(): Promise<number[]> {
  const { text } = await client.get('/metrics');
  const rows = [
    'insecure_backend_total{usage="enforce_tls"}',
    'insecure_backend_total{usage="skip_tls_allowed"}',
    'backend_tls_failure_total',
  ];
  return rows.map((row) => {
    const line = text.split('\n').find((each) => each.startsWith(`kube_apiserver_pod_logs_${row} `));
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
  });
}
test('a certificate that nobody has checked may be what the client wants', async () => {
  const before = await figuresOfLogs();
  const refused = await client.get(pod('strange/log'));
  assert.match(refused.body.message, /: tls: failed to verify certificate: x509: certificate /);
  const { status, text } = await client.get(`${pod('strange')}/log?insecureSkipTLSVerifyBackend=true`);
  assert.equal([status, text], [200, 'first line\nsecond line\n']);
  assert.equal(
    (await figuresOfLogs()).map((count, index) => count - (before[index] as number)),
    [1, 1, 1],
  );
});
test('methods besides GET are none of a log’s, PUT none of exec’s', async () => {
  for (const [method, path] of [
    ['POST', 'log'],
    ['HEAD', 'log'],
    ['PUT', 'exec'],
    ['HEAD', 'exec'],
  ])
    assert.is((await client.request(method as string, `${pod('one')}/${path}`)).status, 405, `${method} ${path}`);
});

const agentAnswers: [name: string, text: string, code: number, message: string | RegExp][] = [
  [
    '404',
    'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone',
    404,
    'the server could not find the requested resource ( pods/log one)',
  ],
  ['400', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 10\r\n\r\nno such it', 400, 'no such it'],
  ['500', 'HTTP/1.1 500 Oh\r\nContent-Length: 5\r\n\r\nbroke', 500, 'Internal error occurred: broke'],
  [
    '502',
    'HTTP/1.1 502 Oh\r\nContent-Length: 5\r\n\r\nbroke',
    502,
    'an error on the server ("broke") has prevented the request from succeeding ( pods/log one)',
  ],
  ['an explanation without end', `HTTP/1.1 400 No\r\n\r\n${'x'.repeat(200_000)}`, 400, /^x{50000}$/],
  ['bytes that are no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 500, /malformed HTTP response "SSH-2\.0-OpenSSH_9\.6"/],
  ['a switch that nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 500, /though nobody asked/],
  ['headers of a megabyte', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`, 500, /headers are too large/],
  ['a million headers', `HTTP/1.1 200 OK\r\n${'X: x\r\n'.repeat(200_000)}\r\n`, 500, /headers are too large/],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 500, /malformed HTTP response/],
  ['nothing', '', 500, /EOF|reset by peer/],
];
for (const [name, text, code, message] of agentAnswers)
  attack(`the agent answers ${name}`, async () => {
    agent.misbehaviour = (_request, socket) => {
      socket.end(text);
      return true;
    };
    const { status, body } = await client.get(`${pod('one')}/log`);
    assert.equal([status, body.code], [code, code], body.message);
    if (typeof message === 'string') assert.is(body.message, message);
    else assert.match(body.message, message);
  });

for (const [name, protocols, messages] of [
  ['bytes', [], ['', 'first line\nsecond line\n']],
  ['bytes by name', ['unknown.example', 'binary.k8s.io'], ['', 'first line\nsecond line\n']],
  ['base64', ['base64.binary.k8s.io'], ['', Buffer.from('first line\nsecond line\n').toString('base64')]],
] as const)
  attack(`a log over WebSocket, as ${name}`, async () => {
    const headers = { authorization: `Bearer ${server.tokens.admin}` };
    const url = `${server.url.replace('https', 'wss')}${pod('one')}/log`;
    const socket = new WebSocket(url, [...protocols], { headers, ca: authority(server) });
    const seen: string[] = [];
    socket.on('message', (data, binary) => {
      assert.is(binary, name !== 'base64');
      seen.push(String(data));
    });
    const [code] = await once(socket, 'close');
    assert.is(code, 1000);
    assert.equal(seen, messages);
  });
attack('a followed log over WebSocket ends with its client', async () => {
  const headers = { authorization: `Bearer ${server.tokens.admin}` };
  const socket = new WebSocket(`${server.url.replace('https', 'wss')}${pod('one')}/log?follow=1`, { headers, ca: authority(server) });
  await once(socket, 'message');
  await until(() => agent.followers === 1);
  socket.terminate();
  await until(() => agent.followers === 0);
});

/** An upgrade request in full. */
function upgrade(path: string, protocol: string, token: string = server.tokens.admin): string {
  const lines = ['Host: x', 'Connection: Upgrade', `Upgrade: ${protocol}`, `Authorization: Bearer ${token}`, 'Content-Length: 0'];
  return `${[`POST ${pod(path)} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

attack('what an agent says instead of a switch', async () => {
  for (const [text, code, message] of [
    ['HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 403, /^no$/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno', 500, /"message":"invalid upgrade response: status code 200"/],
    ['garbage', 500, /"message":"malformed HTTP response/],
    ['', 500, /"message":"(unexpected EOF|read: connection reset by peer)"/],
  ] as const) {
    agent.misbehaviour = (_request, socket) => {
      socket.end(text);
      return true;
    };
    const [answer] = await exchange(server, upgrade('one/exec?command=a&stdout=true', 'SPDY/3.1'));
    assert.is(answer?.status, code);
    assert.match(answer?.text ?? '', message);
    assert.is(answer?.headers.connection, 'close');
  }
});
attack('nobody switches without the right to', async () => {
  for (const token of [server.tokens.alice, 'unknown']) {
    const [answer] = await exchange(server, upgrade('one/exec?command=a&stdout=true', 'SPDY/3.1', token));
    assert.is(answer?.status, token === 'unknown' ? 401 : 403);
    assert.is(answer?.body.kind, 'Status');
    assert.is(answer?.headers.connection, 'close');
  }
  assert.equal(agent.asked, []);
});
attack('protocols are negotiated by the agent, tokens among them go no further', async () => {
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.tokens.admin).toString('base64url')}`;
  const url = `${server.url.replace('https', 'wss')}${pod('one')}/exec?command=echo&command=hi&stdout=true`;
  const socket = new WebSocket(url, [token, 'v4.channel.k8s.io'], { ca: authority(server) });
  const messages: Buffer[] = [];
  socket.on('message', (data: Buffer) => messages.push(data));
  await once(socket, 'close');
  assert.is(socket.protocol, 'v4.channel.k8s.io');
  assert.equal(
    messages.map((message) => `${message[0]} ${message.subarray(1)}`),
    ['1 hi\n', '3 {"metadata":{},"status":"Success"}'],
  );
  assert.is(agent.asked[0]?.headers['sec-websocket-protocol'], 'v4.channel.k8s.io');
});

/** A request to forward ports in SPDY inside a WebSocket. @param key '' for a handshake without one */
function tunnel(key: string, version = '13'): string {
  const lines = [
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Version: ${version}`,
    'Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io',
  ];
  const given = [...lines, `Authorization: Bearer ${server.tokens.admin}`, ...(key === '' ? [] : [`Sec-WebSocket-Key: ${key}`])];
  return `${[`GET ${pod('one')}/portforward HTTP/1.1`, ...given].join('\r\n')}\r\n\r\n`;
}
const KEY = Buffer.alloc(16).toString('base64');

attack('SPDY inside a WebSocket: the protocol is agreed on, messages that are too long or no frames end it', async () => {
  const before = agent.connections;
  for (const frame of [
    Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x20, 0, 0]), Buffer.alloc(100_000)]),
    Buffer.from('no frame of a WebSocket'),
    Buffer.from([0x82, 0x80 | 4, 0, 0, 0, 0, 1, 2, 3, 4]),
  ]) {
    const socket = await connect(server);
    socket.write(tunnel(KEY));
    const [head] = await once(socket.setEncoding('latin1'), 'data');
    assert.match(head, /^HTTP\/1\.1 101 .*\r\nSec-WebSocket-Protocol: SPDY\/3\.1\+portforward\.k8s\.io\r\n/s);
    await new Promise((resolve) => socket.write(frame, resolve));
    await client.get('/version');
    socket.destroy();
  }
  await until(() => agent.connections <= before);
});
test('SPDY inside a WebSocket is counted by code', async () => {
  const counts = async (): Promise<number[]> => {
    const { text } = await client.get('/metrics');
    return [101, 500, 404].map((code) =>
      Number(new RegExp(`^apiserver_stream_tunnel_requests_total\\{code="${code}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0),
    );
  };
  const before = await counts();
  const reaches = async (expected: number[]): Promise<void> => {
    const changes = async (): Promise<number[]> => (await counts()).map((count, index) => count - (before[index] as number));
    await eventually(`it comes to ${expected}`, async () => String(await changes()) === String(expected));
  };
  const socket = await connect(server);
  socket.write(tunnel(KEY));
  await once(socket, 'data');
  await reaches([1, 0, 0]);
  socket.destroy();
  await exchange(server, tunnel(KEY, '14'));
  await reaches([1, 1, 0]);
  agent.misbehaviour = (_request, taken) => {
    taken.end('HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone');
    return true;
  };
  await exchange(server, tunnel(KEY));
  await reaches([1, 1, 1]);
  agent.misbehaviour = undefined;
});
attack('SPDY inside a WebSocket: a handshake without a key reaches nobody for long', async () => {
  const before = agent.connections;
  const [answer] = await exchange(server, tunnel(''));
  assert.is(answer?.status, 400);
  await until(() => agent.connections <= before);
});
for (const version of ['8', '14', ''])
  attack(`the version "${version}" of WebSockets is refused for ports, commands and logs`, async () => {
    const before = agent.connections;
    const [ports] = await exchange(server, tunnel(KEY, version));
    assert.equal([ports?.status, ports?.headers['sec-websocket-version'], ports?.text], [400, '13', 'Bad Request\n']);
    for (const place of ['exec?command=cat&stdout=1', 'log'])
      assert.is(
        await saidTo(
          tunnel(KEY, version)
            .replace('portforward HTTP', `${place} HTTP`)
            .replace('SPDY/3.1+portforward.k8s.io', place === 'log' ? 'binary.k8s.io' : 'v5.channel.k8s.io'),
        ),
        'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version',
      );
    await until(() => agent.connections <= before);
  });
attack('of several versions of WebSockets the one that there is counts for ports', async () => {
  const socket = await connect(server);
  socket.write(tunnel(KEY, '8, 13'));
  const [head] = await once(socket.setEncoding('latin1'), 'data');
  assert.match(head, /^HTTP\/1\.1 101 /);
  socket.destroy();
});
/** All that comes until the server ends. */
async function saidTo(text: string): Promise<string> {
  const socket = await connect(server);
  socket.write(text);
  return (await Array.fromAsync(socket.setEncoding('latin1'))).join('');
}
attack('a client that leaves takes its connection to the agent along', async () => {
  const before = agent.connections;
  const follower = await connect(server);
  follower.write(`GET ${pod('one')}/log?follow=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.tokens.admin}\r\n\r\n`);
  await until(() => agent.followers === 1);
  const switched = await connect(server);
  switched.write(upgrade('one/portforward', 'SPDY/3.1'));
  await once(switched, 'data');
  follower.destroy();
  switched.destroy();
  await until(() => agent.followers === 0 && agent.connections <= before);
});
test('an agent that sends elsewhere is not followed', async () => {
  agent.misbehaviour = (_request, socket) => {
    socket.end('HTTP/1.1 302 Found\r\nLocation: https://elsewhere/x\r\nContent-Length: 0\r\n\r\n');
    return true;
  };
  const { status, body } = await client.get(`${pod('one')}/log`);
  assert.equal([status, body.message, body.reason], [500, 'Get "https://elsewhere/x": redirects forbidden', undefined]);
});
test('a switch to nobody knows what is refused by the agent', async () => {
  agent.misbehaviour = (_request, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\nto no?');
    return true;
  };
  const lines = [
    `GET ${pod('one')}/exec?command=a HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    `Authorization: Bearer ${server.tokens.admin}`,
  ];
  const [answer] = await exchange(server, `${lines.join('\r\n')}\r\n\r\n`);
  // what an agent says to a switch comes as it is, although the client did not say that it takes gzip
  assert.equal([answer?.status, answer?.headers['content-encoding'], answer?.text], [400, 'gzip', 'to no?']);
  assert.equal([agent.asked[0]?.url, agent.asked[0]?.headers.connection], ['/exec/default/one/main?command=a', 'Upgrade']);
});
attack('an agent that breaks off in the middle', async () => {
  agent.misbehaviour = (_request, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegun', () => socket.destroy());
    return true;
  };
  const error = await client.get(`${pod('one')}/log`).catch((reason) => reason);
  assert.ok(error instanceof Error);
});
attack('clients that do not read what an agent pours out', async () => {
  const before = await server.residentBytes();
  const readers = await Promise.all(Array.from({ length: 5 }, () => connect(server)));
  for (const reader of readers) {
    reader.once('data', () => reader.pause());
    const lines = [
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: v4.channel.k8s.io',
    ];
    const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nAuthorization: Bearer ${server.tokens.admin}\r\n\r\n`;
    reader.write(`GET ${pod('one')}/exec?command=flood&command=100&stdout=1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n${key}`);
  }
  // The agent can pour out no more for them by the time that one who reads has everything.
  const reader = new WebSocket(
    `${server.url.replace('https', 'wss')}${pod('one')}/exec?command=flood&command=40&stdout=1`,
    ['v4.channel.k8s.io'],
    {
      headers: { authorization: `Bearer ${server.tokens.admin}` },
      ca: authority(server),
    },
  );
  reader.on('message', () => {});
  await once(reader, 'close');
  const grown = (await server.residentBytes()) - before;
  for (const reader of readers) reader.destroy();
  assert.ok(grown < 100 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more`);
});
attack('switches that break off at any point', async () => {
  const text = upgrade('one/portforward', 'SPDY/3.1');
  for (let i = 0; i < 40; i++) {
    const socket = await connect(server);
    await new Promise((resolve) => socket.write(text.slice(0, 1 + Math.floor((text.length * i) / 39)), resolve));
    if (i % 2 === 0) await client.get('/version');
    socket.destroy();
  }
});
test.run();
