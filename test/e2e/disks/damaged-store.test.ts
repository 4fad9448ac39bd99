/** Files of a data directory that are not what a server left there: no server comes up over them as if nothing were, and no answer lacks anything. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { damageSecondWrite, leaveLog } from '../../harness/left-log.ts';
import { refusedStart, type ServerOptions, startServer, type TestServer } from '../../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'damaged-store-'));
const test = suite('damaged stores');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const WRITES = 60;
/** Of more than an answer holds back before it begins. */
const LARGE = '/api/v1/namespaces/kube-public/configmaps';
const LARGE_WRITES = 20;
const LARGE_BYTES = 40_000;
let copies = 0;

const optionsOf = (directory: string, workers: number, ...flags: readonly string[]): ServerOptions => ({
  dialect: 'kubernetes',
  directory,
  flags: [`--workers=${workers}`, ...flags],
});
const start = (...of: Parameters<typeof optionsOf>): Promise<TestServer> => startServer(optionsOf(...of));

/** What a server leaves that is killed behind some writes, to be copied. */
async function left(workers: number): Promise<string> {
  const directory = path.join(folder, `left-by-${workers}`);
  mkdirSync(directory);
  const server = await start(directory, workers);
  const client = new Client(server);
  for (let i = 0; i < LARGE_WRITES; i++) {
    const { status } = await client.post(LARGE, {
      metadata: { name: `large-${String(i).padStart(2, '0')}` },
      data: { text: `the large value ${i}.`.padEnd(LARGE_BYTES, 'x') },
    });
    assert.is(status, 201);
  }
  for (let i = 0; i < WRITES; i++) {
    const { status } = await client.post(CONFIGMAPS, { metadata: { name: `written-${i}` }, data: { text: `the value ${i}.` } });
    assert.is(status, 201);
  }
  // so that the data has all of that
  assert.is((await client.get(CONFIGMAPS)).status, 200);
  client.close();
  await server.kill();
  if (workers === 1) await leaveLog(directory);
  return directory;
}

/** @returns another folder with the same files */
function copyOf(directory: string): string {
  const copy = path.join(folder, String(++copies));
  cpSync(directory, copy, { recursive: true });
  return copy;
}

const inStore = (directory: string, file: string): string => path.join(directory, 'data', 'store', file);

const UNCHANGED = /Nothing was changed.*put the whole folder back from a backup.*cluster-apiserver recover/;

async function isRefused(directory: string, workers: number, found: RegExp, advice = UNCHANGED): Promise<void> {
  const { exitCode, output } = await refusedStart(optionsOf(directory, workers));
  assert.match(output, found);
  assert.match(output, advice);
  assert.is(exitCode, 1);
}

function overwritten(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

/** Of a store that a server has closed: what is in its log is in its data then. */
function damage(directory: string, ...texts: readonly string[]): void {
  overwritten(inStore(directory, 'data.mdb'), (bytes) => {
    for (const text of texts) {
      assert.ok(bytes.includes(text), `${text} is not in the data`);
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes.write('X', at);
    }
  });
}

/** @returns a status, or how the answer broke off */
const outcome = (answer: Promise<{ readonly status: number }>): Promise<number | string> =>
  answer.then(
    ({ status }) => status,
    ({ message }) => message,
  );

const YAML = { 'content-type': 'application/apply-patch+yaml' };
const FORMS: Readonly<Record<string, OutgoingHttpHeaders>> = {
  JSON: {},
  'compressed JSON': { 'accept-encoding': 'gzip' },
  YAML: { accept: 'application/yaml' },
  protobuf: { accept: 'application/vnd.kubernetes.protobuf' },
  Table: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  PartialObjectMetadataList: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
};

const PAGE = 8_192;
/** Where a page of LMDB says what it is, and where its list of rows ends. */
const At = { flags: 18, rowsEnd: 20 } as const;
const LEAF = 2;

/** Of pages with keys alone, that have many of those of config maps: lists would lack these. */
function forgetRows(bytes: Buffer): void {
  let forgotten = 0;
  for (let page = 2 * PAGE; page < bytes.length; page += PAGE) {
    const text = bytes.toString('latin1', page, page + PAGE);
    if (bytes.readUInt16LE(page + At.flags) !== LEAF || text.includes('the value') || text.split('configmaps/default/').length < 20)
      continue;
    bytes.writeUInt16LE(bytes.readUInt16LE(page + At.rowsEnd) - 2 * 10, page + At.rowsEnd);
    forgotten++;
  }
  assert.ok(forgotten > 0);
}

const DATA = [
  { what: 'truncated', harm: (file: string) => truncateSync(file, 3 * 8_192), found: /data\.mdb is damaged: / },
  { what: 'emptied', harm: (file: string) => truncateSync(file, 0), found: /data\.mdb is empty, where .* beside it is of a store/ },
  { what: 'removed', harm: (file: string) => rmSync(file), found: /data\.mdb is missing, where / },
  {
    what: 'overwritten',
    harm: (file: string) => overwritten(file, (bytes) => bytes.fill(7)),
    found: /data\.mdb is damaged: its head 1 is not what was written/,
  },
  {
    what: 'overwritten behind its head',
    harm: (file: string) => overwritten(file, (bytes) => bytes.fill(0xab, 2 * 8_192)),
    found: /data\.mdb is damaged: /,
  },
  {
    what: 'of a page that says to have fewer rows than it has',
    harm: (file: string) => overwritten(file, forgetRows),
    found: /data\.mdb is damaged: (?:page \d+ of )?the tree "\w+".* /,
  },
  {
    what: 'removed with its whole folder',
    harm: (file: string) => rmSync(path.dirname(file), { recursive: true }),
    found: /data\.mdb is missing, where admin\.conf in .* is that of a server which had a store/,
  },
];

const LOG = [
  {
    what: 'damaged in the second write',
    harm: damageSecondWrite,
    found: /ahead\.log is damaged at byte \d+, .* whole ones follow/,
  },
  {
    what: 'truncated',
    harm: (file: string) => truncateSync(file, 20_000),
    found: /ahead\.log has 20000 bytes, where it always has 1048576/,
  },
  { what: 'emptied', harm: (file: string) => truncateSync(file, 0), found: /ahead\.log has 0 bytes/ },
  { what: 'removed', harm: (file: string) => rmSync(file), found: /ahead\.log is missing/ },
];

const UNSAFE_GATE = 'AllowUnsafeMalformedObjectDeletion';
const UNSAFE = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
const EXCLUSIVE = /Invalid value: true: is exclusively used to delete corrupt object\(s\), try again by removing this option/;
/** Deletes of who may delete, and not unread. */
const UNSAFE_REFUSALS: readonly { readonly of?: string; readonly options?: object; readonly status: number; readonly says: RegExp }[] = [
  { status: 403, says: /configmaps \\"written-30\\" is forbidden: not permitted to do \\"unsafe-delete-ignore-read-errors\\", reason: / },
  { options: { ignoreStoreReadErrorWithClusterBreakingPotential: false }, status: 500, says: /InternalError/ },
  { of: CONFIGMAPS, status: 422, says: /Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option/ },
  ...Object.entries({
    dryRun: ['All'],
    propagationPolicy: 'Orphan',
    orphanDependents: false,
    gracePeriodSeconds: 0,
    preconditions: { uid: 'a' },
  }).map(([name, value]) => ({
    options: { [name]: value },
    status: 422,
    says: new RegExp(`ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .${name}`),
  })),
];

const newestVersion = async (client: Client): Promise<string> =>
  (await client.get('/api/v1/namespaces?limit=1')).body.metadata.resourceVersion;

for (const workers of [1, 2]) {
  const who = workers === 1 ? 'one process' : `${workers} workers`;

  test(`${who}: data that is not what was left is told, by its file`, async () => {
    const directory = await left(workers);
    for (const { harm, found } of DATA) {
      const copy = copyOf(directory);
      harm(inStore(copy, 'data.mdb'));
      await isRefused(copy, workers, found);
      rmSync(copy, { recursive: true });
    }
  });

  test(`${who}: so is a log that is not what was left`, async () => {
    for (const { harm, found } of LOG) {
      const copy = copyOf(path.join(folder, 'left-by-1'));
      harm(inStore(copy, 'ahead.log'));
      await isRefused(copy, workers, found);
      rmSync(copy, { recursive: true });
    }
  });

  test(`${who}: a damaged object fails what would have it, and is named in the log`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    await (await start(copy, workers)).stop();
    damage(copy, 'the value 30.', `the large value ${LARGE_WRITES - 1}.`);
    const server = await start(copy, workers, '--controllers=-*');
    const client = new Client(server);
    const paths = [
      '/written-30',
      '',
      '?fieldSelector=metadata.name=written-30',
      '?resourceVersion=0',
      '?limit=500',
      '?labelSelector=!absent',
    ];
    try {
      for (const [form, headers] of Object.entries(FORMS)) {
        for (const each of paths) assert.is(await outcome(client.get(CONFIGMAPS + each, headers)), 500, `${form} of ${each}`);
        assert.is(await outcome(client.get('/api/v1/configmaps', headers)), 500, `${form} of all namespaces`);
        assert.is((await client.get(`${CONFIGMAPS}?fieldSelector=metadata.name=written-31`, headers)).status, 200, form);
      }
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'written-30' }, data: { other: 'text' } };
      for (const [what, write] of Object.entries({
        patch: (at: string) => client.patch(at, object),
        apply: (at: string) => client.patch(`${at}?fieldManager=me`, JSON.stringify(object), 'application/apply-patch', YAML),
        update: (at: string) => client.put(at, object),
        delete: (at: string) => client.delete(at),
        'long patch': (at: string) => client.patch(at, { data: { other: 'long'.repeat(30_000) } }),
      }))
        assert.is(await outcome(write(`${CONFIGMAPS}/written-30`)), 500, what);
      assert.is(await outcome(client.delete(CONFIGMAPS)), 500);
      assert.is((await client.get(`${CONFIGMAPS}/written-31`)).status, 200);
      assert.match(
        server.log(),
        /the value of key configmaps\/default\/written-30 at revision \d+ is damaged: its checksum is another one/,
      );
      assert.is((await client.get('/readyz')).status, 200);
    } finally {
      client.close();
      await server.kill();
    }
  });

  test(`${who}: a damaged object goes unread, where there is leave for that`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    await (await start(copy, workers)).stop();
    damage(copy, 'the value 30.');
    const server = await start(copy, workers, `--feature-gates=${UNSAFE_GATE}=true`, '--authorization-mode=RBAC');
    const client = new Client(server);
    const alice = new Client(server, server.tokens.alice);
    const rule = { apiGroups: [''], resources: ['configmaps'] };
    const grant = async (name: string, ...verbs: string[]) => {
      const roles = '/apis/rbac.authorization.k8s.io/v1';
      assert.is((await client.post(`${roles}/clusterroles`, { metadata: { name }, rules: [{ ...rule, verbs }] })).status, 201);
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }];
      assert.is((await client.post(`${roles}/clusterrolebindings`, { metadata: { name }, roleRef, subjects })).status, 201);
    };
    const at = `${CONFIGMAPS}/written-30`;
    try {
      await grant('deletes', 'delete', 'deletecollection');
      for (const { of = at, options = {}, status, says } of UNSAFE_REFUSALS) {
        const answer = await alice.delete(of, { ...UNSAFE, ...options });
        assert.is(answer.status, status, answer.text);
        assert.match(answer.text, says);
      }
      const unreadable = async () =>
        /^apiserver_storage_decode_errors_total\{resource="configmaps"\} (.*)$/m.exec((await client.get('/metrics')).text)?.[1] ?? '0';
      const before = Number(await unreadable());
      assert.is((await client.get(at)).status, 500);
      assert.is(Number(await unreadable()), before + 1);
      await grant('deletes-unread', 'unsafe-delete-ignore-read-errors');
      const all = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${await newestVersion(client)}`);
      const { status, body } = await alice.delete(`${at}?ignoreStoreReadErrorWithClusterBreakingPotential=true`);
      assert.is(status, 200);
      assert.equal([body.status, body.details], ['Success', { name: 'written-30', kind: 'ConfigMap' }]);
      // who saw the object before it cannot be told
      assert.equal(((event) => [event.type, event.object.code])(await all.next()), ['ERROR', 500]);
      all.close();
      assert.is((await client.get(at)).status, 404);
      const { body: left } = await client.get(CONFIGMAPS);
      assert.is(
        left.items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('written-')).length,
        WRITES - 1,
      );
      const again = await alice.delete(at, UNSAFE);
      assert.is(again.status, 422, again.text);
      assert.match(again.text, EXCLUSIVE);
      assert.match((await alice.delete(`${CONFIGMAPS}/written-31`, UNSAFE)).text, EXCLUSIVE);
      assert.is((await client.post(CONFIGMAPS, { metadata: { name: 'written-30' } })).status, 201);
    } finally {
      alice.close();
      client.close();
      await server.stop();
    }
    const next = await start(copy, workers);
    const after = new Client(next);
    assert.is((await after.get(CONFIGMAPS)).status, 200);
    // without the gate the option is none
    assert.is((await after.delete(at, UNSAFE)).status, 200);
    after.close();
    await next.stop();
  });

  test(`${who}: without an object that every server needs none starts, and it is named`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    await (await start(copy, workers)).stop();
    damage(copy, '"name":"system:kube-scheduler"');
    await isRefused(
      copy,
      workers,
      /data\.mdb is damaged: the value of key [a-z]+\/(?:system:?)?[a-z-]+ at revision \d+ is damaged: its checksum is another one/,
      /The server does not start without it: put the whole folder back from a backup.*cluster-apiserver recover/,
    );
  });

  test(`${who}: a list breaks off where some of it has left before the damaged object comes`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    await (await start(copy, workers)).stop();
    damage(copy, `the large value ${LARGE_WRITES - 1}.`);
    const server = await start(copy, workers, '--controllers=-*');
    const client = new Client(server);
    try {
      for (const [form, headers] of Object.entries(FORMS))
        for (const each of ['', '?limit=500']) {
          const found = await outcome(client.get(LARGE + each, headers));
          // what is put together before it is sent does not begin; nothing is whole
          assert.ok(found === 500 || (found === 'aborted' && each === ''), `${form} of ${each}: ${found}`);
        }
      assert.is(await outcome(client.get(LARGE)), 'aborted');
      assert.is((await client.get(`${LARGE}/large-${LARGE_WRITES - 1}`)).status, 500);
      assert.is((await client.get(`${LARGE}?limit=${LARGE_WRITES - 1}`)).status, 200);
    } finally {
      client.close();
      await server.kill();
    }
  });

  test(`${who}: a watch ends where the damaged change comes, and tells what was before`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    const before = await start(copy, workers);
    const listed = await new Client(before).get(`${CONFIGMAPS}/written-28`);
    await before.stop();
    damage(copy, 'the value 30.');
    const server = await start(copy, workers, '--controllers=-*');
    const client = new Client(server);
    try {
      const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${listed.body.metadata.resourceVersion}`);
      const event = await watch.next();
      assert.equal([event.type, event.object.metadata.name], ['ADDED', 'written-29']);
      const error = await watch.next();
      assert.equal([error.type, error.object.kind, error.object.code], ['ERROR', 'Status', 500]);
      for await (const { type } of watch) assert.unreachable(`a watch that had failed went on with ${type}`);
      const streamed = await client.watch(
        `${CONFIGMAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1`,
      );
      const last = await streamed.until(({ type }) => type !== 'ADDED');
      assert.equal([last.type, last.object.code], ['ERROR', 500]);
    } finally {
      client.close();
      await server.kill();
    }
  });

  test(`${who}: a damaged object is found while nobody asks for it, and is in the log and the metrics`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    await (await start(copy, workers)).stop();
    damage(copy, 'the value 31.');
    const server = await start(copy, workers, '--store-verification-interval=1s');
    // each connection goes to another process: one of them looks
    const metrics = async (): Promise<string> => {
      const client = new Client(server);
      const { text } = await client.get('/metrics');
      client.close();
      return text;
    };
    const until = async (figures: RegExp): Promise<void> => {
      for (const end = Date.now() + 60_000; !figures.test(await metrics()); await sleep(200))
        assert.ok(Date.now() < end, `${figures} is not to be seen: ${server.log()}`);
    };
    try {
      await until(/^apiserver_storage_verification_damages 1$/m);
      const told = server.log().match(/"key":"configmaps\/default\/written-31","revision":\d+,"found":"its checksum is another one"/g);
      assert.is(told?.length, 1, server.log());
      await until(/^apiserver_storage_verification_looked_at\{what="keys"\} \d+$/m);
    } finally {
      await server.kill();
    }
  });

  test(`${who}: nothing more is written to data that is removed or replaced meanwhile, and it is named`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    const server = await start(copy, workers, '--controllers=-*');
    const client = new Client(server);
    const data = inStore(copy, 'data.mdb');
    let writes = 0;
    const write = async (): Promise<number> => (await client.post(CONFIGMAPS, { metadata: { name: `later-${writes++}` } })).status;
    const until = async (status: number): Promise<void> => {
      for (const end = Date.now() + 20_000; (await write()) !== status; await sleep(100)) assert.ok(Date.now() < end, server.log());
    };
    // each worker tells what it finds when it writes, and what is logged comes later than the answer
    const told = async (text: RegExp): Promise<void> => {
      for (const end = Date.now() + 20_000; !text.test(server.log()); await sleep(100)) {
        assert.ok(Date.now() < end, server.log());
        await write();
      }
    };
    try {
      renameSync(data, `${data}.kept`);
      await until(503);
      assert.is((await client.get(CONFIGMAPS)).status, 200);
      await told(/data\.mdb cannot be written: it was removed while it is open \(ENOENT\)/);
      renameSync(`${data}.kept`, data);
      await until(201);
      renameSync(data, `${data}.kept`);
      writeFileSync(data, readFileSync(`${data}.kept`));
      await until(503);
      await told(/data\.mdb cannot be written: another file has its name than the one that is open \(ESTALE\)/);
    } finally {
      client.close();
      await server.kill();
    }
  });
}

test.run();
