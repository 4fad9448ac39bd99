/** Which certificate a client is shown, by the name that it asks for or the address that it comes to. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type ConnectionOptions, connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type NamedCertificate, type NamedFiles, parseNamedFiles } from '../../../runtime/server/certificates/named-certificates.ts';
import { type Listener, listen } from '../../../runtime/server/listener/listen.ts';
import { type MadeCertificate, OpenSsl } from '../../harness/openssl.ts';

const folder = new OpenSsl();
const authority = folder.authority('authority');
const leaf = (name: string, host?: string): MadeCertificate =>
  folder.leaf({ subject: `/CN=${name}`, issuer: authority, usage: 'serverAuth', ...(host !== undefined && { host }) });
const [own, exact, wild, named, address] = [
  leaf('the listener itself'),
  leaf('exact', 'a.example'),
  leaf('wild', '*.example'),
  leaf('named', 'never.example'),
  leaf('10.0.0.7', 'c.b.a.example'),
];
const [elliptic, second] = [
  folder.leaf({ subject: '/CN=elliptic', issuer: authority, usage: 'serverAuth', host: 'elliptic.example' }),
  leaf('second', 'second.test'),
];
const tls = (certificates: readonly NamedCertificate[]) => ({ ...own, named: certificates, clientAuthorities: [authority.certificate] });
const CERTIFICATES: NamedCertificate[] = [
  wild,
  exact,
  { ...named, names: ['given.example', '*.given.example', 'b.a.example'] },
  address,
  { ...own, names: ['given.example'] },
  { ...elliptic, names: ['127.0.0.2', 'second.example'] },
  { ...second, names: ['127.0.0.2', '127.0.0.3', '::1'] },
];

const test = suite('certificates by name');
let listener: Listener;
test.before(async () => {
  const handler = (request: IncomingMessage, response: ServerResponse) =>
    void response.end(String((request.socket as unknown as { authorized: boolean }).authorized));
  listener = await listen({ handler, tls: tls(CERTIFICATES), address: '0.0.0.0', port: 0 });
});
test.after(async () => {
  await listener.close(0);
  folder.remove();
});

async function shown(servername: string | undefined, options: ConnectionOptions = {}): Promise<string> {
  const { port } = listener;
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ...(servername !== undefined && { servername }),
    ...options,
  });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

const choices: [asked: string | undefined, shown: string][] = [
  [undefined, 'the listener itself'],
  ['a.example', 'exact'],
  ['A.Example', 'exact'],
  ['b.example', 'wild'],
  ['x.b.example', 'the listener itself'],
  ['given.example', 'named'],
  ['x.given.example', 'named'],
  ['x.y.given.example', 'the listener itself'],
  ['never.example', 'wild'],
  ['b.a.example', 'named'],
  ['c.b.a.example', '10.0.0.7'],
  ['exact', 'exact'],
  ['elsewhere', 'the listener itself'],
  ['second.example', 'elliptic'],
  ['second.test', 'second'],
  ['x.second.test', 'the listener itself'],
  ['elliptic.example', 'wild'],
];
for (const [asked, expected] of choices)
  test(`${asked ?? 'no name'} gets that of ${expected}`, async () => {
    assert.is(await shown(asked), expected);
    assert.is(await shown(asked, { maxVersion: 'TLSv1.2' }), expected);
  });

const addresses: [address: string, asked: string | undefined, shown: string][] = [
  ['127.0.0.2', undefined, 'elliptic'],
  ['127.0.0.3', undefined, 'second'],
  ['127.0.0.4', undefined, 'the listener itself'],
  ['127.0.0.2', 'a.example', 'exact'],
  ['127.0.0.2', 'elsewhere', 'the listener itself'],
];
for (const [host, asked, expected] of addresses)
  test(`${asked ?? 'no name'} at ${host} gets that of ${expected}`, async () => {
    assert.is(await shown(asked, { host }), expected);
    assert.is(await shown(asked, { host, maxVersion: 'TLSv1.2', ALPNProtocols: ['h2'] }), expected);
  });

test('clients show theirs on HTTP/2 as they do without a name', async () => {
  const client = folder.leaf({ subject: '/CN=user', issuer: authority });
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, {
    servername: 'a.example',
    ca: authority.certificate,
    checkServerIdentity: () => undefined,
    cert: client.certificate,
    key: client.key,
  });
  const stream = session.request({ ':path': '/' });
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  await once(stream, 'end');
  assert.is(text, 'true');
  session.destroy();
});

test('a renewal counts for new connections, one that fails changes nothing', async () => {
  assert.throws(() => listener.renew(tls([{ ...wild, key: own.key }])));
  assert.is(await shown('b.example'), 'wild');
  const other = leaf('other', '*.example');
  listener.renew(tls([other]));
  assert.equal([await shown('b.example'), await shown('given.example')], ['other', 'other']);
  assert.is(await shown(undefined, { host: '127.0.0.2' }), 'the listener itself');
  listener.renew(tls(CERTIFICATES));
});

const texts: [text: string, files: NamedFiles][] = [
  ['a,b', { certificateFile: 'a', keyFile: 'b' }],
  [' a , b : X.y , *.Z', { certificateFile: 'a', keyFile: 'b', names: ['x.y', '*.z'] }],
  ['a,b:10.0.0.1,::1', { certificateFile: 'a', keyFile: 'b', names: ['10.0.0.1', '::1'] }],
];
for (const [text, files] of texts) test(`"${text}" is read`, () => assert.equal(parseNamedFiles(text), files));
for (const text of ['', 'a', 'a,', ',b', 'a,b,c', 'a,b:']) test(`"${text}" is refused`, () => assert.throws(() => parseNamedFiles(text)));

test.run();
