/** What `POST /checkpoint/…` does behind authentication and authorization, with a runtime that does what a test says. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ArchiveFolder } from '../../../runtime/node-agent/checkpoint/archive-folder.ts';
import { checkpointRoute } from '../../../runtime/node-agent/checkpoint/checkpoint-route.ts';
import { type AgentAnswer, AgentProblem, type AgentRequest, type AgentRoute } from '../../../runtime/node-agent/contract/part.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { ownDisk } from '../../harness/small-disk.ts';
import { closeRuntime, openRuntime, type RuntimeContext } from '../with-runtime.ts';

interface Context extends RuntimeContext {
  archives: string;
  route: AgentRoute;
  isEnabled: boolean;
  notes: object[];
}

interface Order {
  readonly place?: string;
  readonly query?: string;
  readonly signal?: AbortSignal;
}

const checkpoints = suite<Context>('checkpoints of containers');
checkpoints.before.each(async (context) => {
  await openRuntime(context);
  await prepare(context, path.join(context.folder, 'root/checkpoints'));
});
checkpoints.after.each(closeRuntime);

async function prepare(context: Context, archives: string): Promise<void> {
  context.archives = archives;
  context.isEnabled = true;
  context.notes = [];
  const folder = new ArchiveFolder(archives);
  await folder.prepare();
  context.route = checkpointRoute({
    runtime: context.runtime,
    folder,
    isEnabled: () => context.isEnabled,
    note: (archive) => context.notes.push(archive),
  });
}

async function ask(
  { route }: Pick<Context, 'route'>,
  { place = 'default/web/nginx', query = '', signal }: Order = {},
): Promise<AgentAnswer> {
  const [namespace = '', pod = '', container = ''] = place.split('/').map(decodeURIComponent);
  const request: AgentRequest = {
    parameters: { namespace, pod, container },
    query: new URLSearchParams(query),
    user: { name: 'admin', groups: [], extra: {} } as never,
    signal: signal ?? new AbortController().signal,
  };
  try {
    return await route.handle(request);
  } catch (error) {
    if (!(error instanceof AgentProblem)) throw error;
    return { status: error.status, contentType: 'text/plain', body: error.message, headers: error.headers };
  }
}

function pathOf({ status, body }: AgentAnswer): string {
  assert.is(status, 200, body);
  const { items } = JSON.parse(body) as { items: string[] };
  assert.is(items.length, 1);
  return items[0] as string;
}

/** Who may read it: the mode's nine lower bits. */
const mode = (file: string): number => statSync(file).mode & 0o777;

checkpoints('an archive comes to its place, readable for nobody else', async (context) => {
  const { test, archives, route, notes } = context;
  test.addPod('other', 'web', ['nginx']);
  const [id] = test.addPod('default', 'web', ['nginx']);
  assert.is(route.subresource, 'checkpoint');
  const file = pathOf(await ask(context));
  assert.match(file.slice(archives.length + 1), /^checkpoint-web_default-nginx-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.tar$/);
  assert.is(readFileSync(file, 'utf8'), 'archive');
  assert.is(mode(file), 0o600);
  assert.is(mode(archives), 0o700);
  assert.is(statSync(file).uid, process.getuid?.());
  assert.equal(readdirSync(archives), [path.basename(file)]);
  assert.is(test.checkpoints[0]?.containerId, id);
  assert.is(path.basename(test.checkpoints[0]?.location ?? ''), path.basename(file));
  assert.equal(notes, [{ path: file, user: 'admin' }]);
});
checkpoints('the folder is closed to others, even where somebody had opened it', async (context) => {
  context.test.addPod('default', 'web', ['nginx']);
  chmodSync(context.archives, 0o755);
  pathOf(await ask(context));
  assert.is(mode(context.archives), 0o700);
});
checkpoints('the feature gate is asked at each request', (context) => {
  assert.is(context.route.isServed?.(), true);
  context.isEnabled = false;
  assert.is(context.route.isServed?.(), false);
});

const timeouts: [query: string, seconds: bigint][] = [
  ['', 5n],
  ['timeout=0', 5n],
  ['timeout=2', 5n],
  ['timeout=90', 90n],
  ['timeout=7&timeout=%2B60', 60n],
];
for (const [query, seconds] of timeouts)
  checkpoints(`?${query}: the runtime may take ${seconds} s`, async (context) => {
    context.test.addPod('default', 'web', ['nginx']);
    pathOf(await ask(context, { query }));
    assert.is(context.test.checkpoints[0]?.timeout, seconds);
  });

const absent: [name: string, order: Order, body: string][] = [
  ['no such namespace', { place: 'nowhere/web/nginx' }, 'pod does not exist'],
  ['no such pod', { place: 'default/db/nginx' }, 'pod does not exist'],
  ['no such container', { place: 'default/web/log' }, 'container log does not exist'],
  ['a namespace that leads elsewhere', { place: '..%2F../web/nginx' }, 'pod does not exist'],
  ['a container that leads elsewhere', { place: 'default/web/..%2Fnginx' }, 'container ../nginx does not exist'],
  ['a timeout that is no number', { query: 'timeout=1m' }, 'cannot parse value of timeout parameter'],
  ['a timeout without a number', { query: 'timeout=' }, 'cannot parse value of timeout parameter'],
  ['no such pod, before a timeout that is no number', { place: 'default/db/nginx', query: 'timeout=1m' }, 'pod does not exist'],
  ['a timeout beyond 64 bits', { query: 'timeout=9223372036854775808' }, 'cannot parse value of timeout parameter'],
];
for (const [name, order, body] of absent)
  checkpoints(`${name}: 404`, async (context) => {
    context.test.addPod('default', 'web', ['nginx']);
    const answer = await ask(context, order);
    assert.equal([answer.status, answer.body], [404, body]);
    assert.equal(context.test.checkpoints, []);
  });

const failures: [name: string, prepare: (context: Context) => void, order: Order, body: RegExp][] = [
  [
    'the runtime fails',
    ({ test }) => {
      test.checkpoint = () => Promise.reject(new InterfaceError('INTERNAL', 'criu dump failed'));
    },
    {},
    /^checkpointing of default\/web\/nginx failed \(rpc error: code = Internal desc = criu dump failed\)$/,
  ],
  [
    'the runtime is down',
    ({ test }) => test.stop(),
    {},
    /^checkpointing of default\/web\/nginx failed \(rpc error: code = Unavailable desc = /,
  ],
  ['a time below zero', () => {}, { query: 'timeout=-1' }, /CheckpointContainer requires the timeout value to be > 0/],
  [
    'the runtime writes nothing',
    ({ test }) => {
      test.checkpoint = () => Promise.resolve();
    },
    {},
    /the runtime left no archive at /,
  ],
  [
    'the runtime writes an empty archive',
    ({ test }) => {
      test.checkpoint = ({ location }) => writeFile(location, '');
    },
    {},
    /the runtime left an empty archive at /,
  ],
  [
    'the runtime leaves a link to what is not its own',
    ({ test }) => {
      test.checkpoint = async ({ location }) => symlinkSync('/etc/passwd', location);
    },
    {},
    /ELOOP/,
  ],
  [
    'the runtime leaves a folder',
    ({ test }) => {
      test.checkpoint = async ({ location }) => mkdirSync(location);
    },
    {},
    /is no file/,
  ],
  [
    'the folder of archives is no folder',
    ({ archives }) => {
      rmSync(archives, { recursive: true });
      writeFileSync(archives, '');
    },
    {},
    /EEXIST|is no folder/,
  ],
];
for (const [name, prepareFailure, order, body] of failures)
  checkpoints(`${name}: 500, and nothing is left`, async (context) => {
    context.test.addPod('default', 'web', ['nginx']);
    prepareFailure(context);
    const answer = await ask(context, order);
    assert.is(answer.status, 500);
    assert.match(answer.body, body);
    if (statSync(context.archives).isDirectory()) assert.equal(readdirSync(context.archives), []);
    assert.equal(context.notes, []);
  });
checkpoints('names that make a name too long for a file: 500', async (context) => {
  const pod = 'p'.repeat(240);
  context.test.addPod('default', pod, ['nginx']);
  const answer = await ask(context, { place: `default/${pod}/nginx` });
  assert.is(answer.status, 500);
  assert.match(answer.body, /the archive would have a name of 2\d\d bytes, and a file's has 255 at most/);
});
checkpoints('a runtime that lacks the call: 500 with its message', async (context) => {
  context.test.stop();
  await context.test.start({ lacksCheckpoints: true });
  context.test.addPod('default', 'web', ['nginx']);
  const answer = await ask(context);
  assert.is(answer.status, 500);
  assert.match(answer.body, /^checkpointing of default\/web\/nginx failed \(rpc error: code = Unimplemented desc = .*CheckpointContainer/);
});
checkpoints('a runtime that is slow beyond the time: 500, and it is told to end', async (context) => {
  const ended = Promise.withResolvers<void>();
  context.test.addPod('default', 'web', ['nginx']);
  context.test.checkpoint = async ({ location }, signal) => {
    await writeFile(location, 'half');
    signal.addEventListener('abort', () => ended.resolve());
    await ended.promise;
  };
  const { runtime } = context;
  const route = checkpointRoute({
    runtime: Object.assign(Object.create(runtime), {
      checkpoint: (order: Parameters<typeof runtime.checkpoint>[0]) =>
        runtime.checkpoint({ ...order, signal: AbortSignal.any([order.signal, AbortSignal.timeout(100)]) }),
      sandboxes: runtime.sandboxes.bind(runtime),
      containers: runtime.containers.bind(runtime),
    }),
    folder: new ArchiveFolder(context.archives),
    isEnabled: () => true,
    note: () => {},
  });
  const answer = await ask({ route });
  assert.is(answer.status, 500);
  assert.match(answer.body, /code = Canceled/);
  await ended.promise;
  assert.equal(readdirSync(context.archives), []);
});

checkpoints('requests for one container take turns; those of others do not wait', async (context) => {
  const [first = ''] = context.test.addPod('default', 'web', ['nginx', 'log']);
  const [began, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let underWay = 0;
  context.test.checkpoint = async ({ containerId, location }) => {
    if (containerId === first) {
      assert.is(++underWay, 1);
      began.resolve();
      await go.promise;
      underWay--;
    }
    await writeFile(location, 'archive');
  };
  const slow = ask(context);
  await began.promise;
  const next = ask(context);
  pathOf(await ask(context, { place: 'default/web/log' }));
  assert.is(context.test.checkpoints.filter(({ containerId }) => containerId === first).length, 1);
  go.resolve();
  const files = [pathOf(await slow), pathOf(await next)];
  assert.is(new Set(files).size, 2);
  for (const file of files) assert.is(readFileSync(file, 'utf8'), 'archive');
});
checkpoints('too many requests for one container: 429; one that goes makes room', async (context) => {
  context.test.addPod('default', 'web', ['nginx']);
  const [began, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  context.test.checkpoint = async ({ location }) => {
    began.resolve();
    await go.promise;
    await writeFile(location, 'archive');
  };
  const gone = new AbortController();
  const first = ask(context);
  await began.promise;
  const waiting = [1, 2, 3].map(() => ask(context));
  const leaves = ask(context, { signal: gone.signal }).catch((error: Error) => error.name);
  // each of them has asked the runtime for the container before it waits
  let refused = await ask(context);
  while (refused.status !== 429) refused = await ask(context, { signal: AbortSignal.timeout(50) }).catch(() => refused);
  assert.equal(refused.headers, { 'retry-after': '1' });
  assert.match(refused.body, /^checkpointing of default\/web\/nginx is under way, and 4 other requests wait for it/);
  gone.abort();
  assert.is(await leaves, 'AbortError');
  go.resolve();
  for (const each of [first, ...waiting]) pathOf(await each);
});
checkpoints('a client that goes ends the call of the runtime, and nothing is left', async (context) => {
  context.test.addPod('default', 'web', ['nginx']);
  const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  context.test.checkpoint = async ({ location }, signal) => {
    await writeFile(location, 'half');
    signal.addEventListener('abort', () => ended.resolve());
    began.resolve();
    await ended.promise;
  };
  const gone = new AbortController();
  const answer = ask(context, { signal: gone.signal });
  await began.promise;
  assert.is(readdirSync(context.archives).filter((name) => name.startsWith('checkpoint-')).length, 0, 'nobody sees a half archive');
  gone.abort();
  assert.is((await answer).status, 500);
  await ended.promise;
  assert.equal(readdirSync(context.archives), []);
});
checkpoints('what a killed agent left is cleared, and archives stay', async (context) => {
  const { archives } = context;
  mkdirSync(path.join(archives, '.unfinished-x1'));
  writeFileSync(path.join(archives, '.unfinished-x1/half.tar'), 'half');
  writeFileSync(path.join(archives, 'checkpoint-a_b-c-2026-01-01T00:00:00Z.tar'), 'whole');
  await new ArchiveFolder(archives).prepare();
  assert.equal(readdirSync(archives), ['checkpoint-a_b-c-2026-01-01T00:00:00Z.tar']);
});
checkpoints('a full disk leaves no half archive', async (context) => {
  const disk = ownDisk();
  if (disk === undefined) {
    console.log('SKIPPED: only root can make a small disk');
    return;
  }
  try {
    context.test.addPod('default', 'web', ['nginx']);
    await prepare(context, path.join(disk.directory, 'checkpoints'));
    disk.fill([]);
    context.test.checkpoint = async ({ location }) => {
      const { status, stderr } = spawnSync('dd', ['if=/dev/zero', `of=${location}`, 'bs=64k', 'count=4']);
      if (status !== 0) throw new InterfaceError('UNKNOWN', String(stderr).trim());
    };
    const answer = await ask(context);
    assert.is(answer.status, 500);
    assert.match(answer.body, /No space left on device|ENOSPC/);
    assert.equal(readdirSync(context.archives), []);
    disk.makeRoom([]);
    assert.ok(existsSync(pathOf(await ask(context))));
  } finally {
    disk.remove();
  }
});
checkpoints.run();
