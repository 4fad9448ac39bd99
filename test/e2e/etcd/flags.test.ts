/** Flags that say how etcd is reached, and what is said where that cannot be. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEtcd } from '../../harness/etcd.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { runProgram } from '../../harness/program.ts';
import { refusedStart, startServer } from '../../harness/server.ts';
import { answered, CONFIGMAPS, configMap, eventually, startOver } from './over-etcd.ts';

const test = suite('flags of etcd');

const folder = mkdtempSync(path.join(tmpdir(), 'etcd-flags-'));
const ssl = new OpenSsl();
const [authority, stranger] = [ssl.authority('etcd'), ssl.authority('stranger')];
const member = ssl.leaf({ subject: '/CN=etcd', issuer: authority, usage: 'serverAuth,clientAuth', host: '127.0.0.1' });
const shown = ssl.leaf({ subject: '/CN=apiserver', issuer: authority });
const later = ssl.leaf({ subject: '/CN=apiserver-later', issuer: authority });
const unknown = ssl.leaf({ subject: '/CN=apiserver', issuer: stranger });
const [plain, secure] = await Promise.all([
  startEtcd(),
  startEtcd({
    tls: {
      certificateFile: member.certificateFile,
      keyFile: member.keyFile,
      clientAuthorityFile: authority.certificateFile,
      authorityFile: authority.certificateFile,
      client: shown,
    },
  }),
]);
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([plain.stop(), secure.stop()]);
});

/** Puts a file in the place of another one as a whole. */
function write(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}

/** A start that gives up at once, on calls of etcd that take half a second. */
const SOON = ['--storage-initialization-timeout=100ms', '--request-timeout=2s'];
const tls = (ca: string, pair?: { readonly certificateFile: string; readonly keyFile: string }): string[] => [
  `--etcd-servers=${secure.address}`,
  `--etcd-cafile=${ca}`,
  ...(pair === undefined ? [] : [`--etcd-certfile=${pair.certificateFile}`, `--etcd-keyfile=${pair.keyFile}`]),
];

test('TLS with a certificate that is shown, and that is replaced while the server runs', async () => {
  const certificateFile = write('client.crt', shown.certificate);
  const keyFile = write('client.key', shown.key);
  const over = await startOver(secure, tls(authority.certificateFile, { certificateFile, keyFile }).slice(1));
  try {
    await answered(201, over.client.post(CONFIGMAPS, configMap('by-tls')));
    const watch = await over.client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=0`);
    write('client.crt', later.certificate);
    write('client.key', later.key);
    await secure.restart();
    await eventually(
      () => over.client.post(CONFIGMAPS, configMap('by-the-later')),
      ({ status }) => status === 201 || status === 409,
      20_000,
    );
    await watch.until(({ object }) => object.metadata.name === 'by-the-later');
    watch.close();
  } finally {
    over.client.close();
    await over.server.stop();
  }
});

const file = (name: string, content = 'no PEM'): string => write(name, content);
const REFUSED: readonly (readonly [what: string, flags: readonly string[], says: RegExp])[] = [
  [
    'another authority',
    [...tls(stranger.certificateFile, shown), ...SOON],
    /--etcd-servers \(https:\/\/127\.0\.0\.1:\d+\) cannot be used.*certificate/,
  ],
  [
    'a certificate that etcd does not know',
    [...tls(authority.certificateFile, unknown), ...SOON],
    /--etcd-servers \(https:\/\/127\.0\.0\.1:\d+\) cannot be used/,
  ],
  ['no certificate', [...tls(authority.certificateFile), ...SOON], /--etcd-servers \(https:\/\/127\.0\.0\.1:\d+\) cannot be used/],
  ['no TLS', [`--etcd-servers=http://127.0.0.1:${secure.port}`, ...SOON], /--etcd-servers \(http:\/\/127\.0\.0\.1:\d+\) cannot be used/],
  [
    'nobody there',
    ['--etcd-servers=http://127.0.0.1:1', ...SOON],
    /--etcd-servers \(http:\/\/127\.0\.0\.1:1\) cannot be used: .*ECONNREFUSED/,
  ],
  [
    'nobody at two addresses',
    ['--etcd-servers=http://127.0.0.1:1,http://127.0.0.1:2', ...SOON],
    /--etcd-servers \(http:\/\/127\.0\.0\.1:1,http:\/\/127\.0\.0\.1:2\) cannot be used/,
  ],
  ['an address that is none', ['--etcd-servers=nonsense'], /--etcd-servers: "nonsense" is no address of etcd: it has to be a URL/],
  [
    'a certificate without its key',
    [...tls(authority.certificateFile), `--etcd-certfile=${shown.certificateFile}`],
    /--etcd-certfile and --etcd-keyfile need each other/,
  ],
  [
    'a key that is not of the certificate',
    [...tls(authority.certificateFile), `--etcd-certfile=${shown.certificateFile}`, `--etcd-keyfile=${later.keyFile}`],
    /--etcd-certfile and --etcd-keyfile: tls: private key does not match public key/,
  ],
  [
    'what is no certificate',
    [...tls(authority.certificateFile, { certificateFile: file('none.crt'), keyFile: file('none.key') })],
    /--etcd-certfile and --etcd-keyfile: tls: failed to find any PEM data/,
  ],
  [
    'a file that is not there',
    [`--etcd-servers=${secure.address}`, '--etcd-cafile=/nowhere'],
    /--etcd-cafile: \/nowhere: there is no such file/,
  ],
  [
    'another etcd for a resource',
    [`--etcd-servers=${plain.address}`, '--etcd-servers-overrides=/events#http://127.0.0.1:1'],
    /--etcd-servers-overrides: events cannot have an etcd of its own: this server tells all changes in one order/,
  ],
  [
    'an etcd for one resource, and the data directory for the others',
    [`--etcd-servers-overrides=/events#${plain.address}`],
    /--etcd-servers-overrides: events cannot have an etcd of its own/,
  ],
  [
    'a form that is none',
    [`--etcd-servers=${plain.address}`, '--storage-media-type=text/plain'],
    /--storage-media-type: nothing is stored as "text\/plain": what may be is application\/json/,
  ],
];
for (const [what, flags, says] of REFUSED)
  test(`a start is refused: ${what}`, async () => {
    const { exitCode, output } = await refusedStart({ dialect: 'kubernetes', flags });
    assert.is(exitCode, 1);
    assert.match(output, says);
    assert.not.match(output, /\n {4}at /);
  });

test('of two addresses one may be dead, whichever it is', async () => {
  for (const addresses of [`http://127.0.0.1:1,${plain.address}`, `${plain.address},http://127.0.0.1:1`]) {
    const over = await startOver({ address: addresses }, ['--etcd-prefix=/two']);
    try {
      const { status } = await over.client.post(CONFIGMAPS, configMap('two'));
      assert.ok(status === 201 || status === 409);
      assert.is((await over.client.get('/readyz')).status, 200);
    } finally {
      over.client.close();
      await over.server.stop();
    }
  }
});

test('a prefix has the objects of one dialect', async () => {
  const over = await startOver(plain, ['--etcd-prefix=/mine']);
  over.client.close();
  await over.server.stop();
  const { output, exitCode } = await refusedStart({
    dialect: 'cluster',
    flags: [`--etcd-servers=${plain.address}`, '--etcd-prefix=/mine'],
  });
  assert.is(exitCode, 1);
  assert.match(
    output,
    /etcd holds objects of the dialect "kubernetes" under \/mine\/, which cannot be served as "cluster": use another --etcd-prefix/,
  );
  const other = await startOver(plain, ['--etcd-prefix=/theirs'], { dialect: 'cluster' });
  other.client.close();
  await other.server.stop();
  const { output: refused } = await refusedStart({
    dialect: 'kubernetes',
    flags: [`--etcd-servers=${plain.address}`, '--etcd-prefix=/theirs'],
  });
  assert.match(refused, /etcd holds objects of the dialect "cluster" under \/theirs\//);
});

test('values that are too large for etcd are refused in its words, and others go on', async () => {
  const over = await startOver(plain, ['--etcd-prefix=/large']);
  try {
    const { client } = over;
    // of a secret 1 MiB may be, and of a config map: annotations and labels come besides
    const large = {
      metadata: { name: 'large' },
      data: Object.fromEntries(Array.from({ length: 2 }, (_, i) => [`k${i}`, 'x'.repeat(500_000)])),
    };
    const managed = (finalizers: number): object => ({
      ...large,
      metadata: {
        name: 'large',
        annotations: { a: 'y'.repeat(250_000) },
        finalizers: Array.from({ length: finalizers }, (_, i) => `example.com/${'z'.repeat(50)}-${i}`),
      },
    });
    const { status, body, text } = await client.post(CONFIGMAPS, managed(5_500));
    assert.is(status, 413, text);
    assert.is(body.reason, 'RequestEntityTooLarge');
    assert.match(body.message, /etcdserver: request is too large/);
    // that much etcd does not even receive
    const larger = await answered(413, client.post(CONFIGMAPS, managed(13_000)));
    assert.match(larger.message, /received message larger than max/);
    await answered(201, client.post(CONFIGMAPS, large));
    assert.is((await client.get(`${CONFIGMAPS}/large`)).status, 200);
    assert.is((await client.get('/readyz')).status, 200);
    assert.equal(over.server.faults(), []);
  } finally {
    over.client.close();
    await over.server.stop();
  }
});

test('commands about the store of a data directory say that there is none', async () => {
  const directory = path.join(folder, 'over');
  const { mkdirSync } = await import('node:fs');
  mkdirSync(directory);
  const over = await startOver(plain, ['--etcd-prefix=/commands'], { directory });
  const data = path.join(directory, 'data');
  try {
    const saved = await runProgram('snapshot', 'save', `--kubeconfig=${over.server.kubeconfig}`, path.join(folder, 'saved'));
    assert.is(saved.code, 1);
    assert.match(saved.out, /etcd has the store/);
    const rewritten = await runProgram('rewrite-storage', '--dialect=kubernetes', `--kubeconfig=${over.server.kubeconfig}`, 'configmaps');
    assert.is(rewritten.code, 0, rewritten.out);
  } finally {
    over.client.close();
    await over.server.stop();
  }
  // nor is it damage to the server that gets the folder next
  const next = await startServer({ dialect: 'kubernetes', directory });
  await next.kill();
  const again = await startOver(plain, ['--etcd-prefix=/commands'], { directory });
  again.client.close();
  await again.server.stop();
  rmSync(path.join(data, 'store'), { recursive: true });
  const checked = await runProgram('check', `--data-dir=${data}`);
  assert.is(checked.code, 1);
  assert.match(checked.out, /there is no store in .*: a server that is given --etcd-servers keeps everything in etcd/);
  const recovered = await runProgram('recover', `--data-dir=${data}`, `--to=${path.join(folder, 'recovered')}`);
  assert.is(recovered.code, 1, recovered.out);
});

test('the help says what the flags do', async () => {
  const { out, code } = await runProgram('--help');
  assert.is(code, 0);
  const text = out.replace(/\s+/g, ' ');
  assert.match(
    text,
    /--etcd-servers TEXT,… Addresses of etcd, such as https:\/\/10\.0\.0\.5:2379 or unix:\/\/\/run\/etcd\.sock\. With them etcd is the store, without them the data directory\./,
  );
  for (const flag of [
    'etcd-prefix',
    'etcd-cafile',
    'etcd-certfile',
    'etcd-keyfile',
    'storage-media-type',
    'storage-initialization-timeout',
    'etcd-servers-overrides',
    'lease-reuse-duration-seconds',
  ])
    assert.not.match(text, new RegExp(`--${flag} [^-]*no effect yet`));
});

test.run();
