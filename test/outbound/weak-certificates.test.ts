/** What is counted and noted of servers whose certificates 1.32 believes no longer. */
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { WeakCertificates } from '../../runtime/outbound/weak-certificates.ts';
import { type ServiceRoutes, WebhookClient } from '../../runtime/outbound/webhook-client.ts';
import { type LeafOptions, OpenSsl } from '../harness/openssl.ts';
import { identity } from '../kinds/context.ts';

const test = suite('weak certificates of other servers');
const ssl = new OpenSsl();
const issuer = ssl.authority('ca');
const NAME = 'hook.default.svc';
const serviceRoutes: ServiceRoutes = { resolve: ({ port }) => ({ host: '127.0.0.1', port }) };
const VERIFIED = 'tls: failed to verify certificate: x509: certificate ';
const DOMAIN = 'invalid-cert.kubernetes.io';

/** Why a server with such a certificate is not asked. */
async function failure(leaf: Partial<LeafOptions>): Promise<Error> {
  const { key, certificate: cert } = ssl.leaf({ subject: '/CN=other', issuer, usage: 'serverAuth', ...leaf });
  // so that it shows what is signed weakly
  const server = https.createServer({ key, cert, ciphers: 'DEFAULT@SECLEVEL=0' }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const place = { service: { namespace: 'default', name: 'hook', port }, caBundle: Buffer.from(issuer.certificate).toString('base64') };
  const client = new WebhookClient(place, { serviceRoutes });
  const failed = await client.post('{}', { maxBytes: 100 }).then(
    () => undefined,
    (error) => error,
  );
  client.close();
  server.close();
  assert.instance(failed, Error);
  return failed;
}

const rows: readonly [what: string, leaf: Partial<LeafOptions>, problem: string, id: string | undefined, reason: string][] = [
  [
    'a Common Name alone',
    { subject: `/CN=${NAME}` },
    'relies on legacy Common Name field, use SANs instead',
    'missing-san',
    'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  ],
  [
    'a signature by way of SHA-1',
    { host: NAME, digest: 'sha1' },
    'signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm")',
    'insecure-sha1',
    'uses an insecure SHA-1 signature',
  ],
  ['the name of another server', { host: 'other.svc' }, `is valid for other.svc, not ${NAME}`, undefined, ''],
];
for (const [what, leaf, problem, id, reason] of rows)
  test(`${id === undefined ? 'are not those that have' : 'are those that have'} ${what}`, async () => {
    const metrics = new Metrics(metricsData);
    const weak = new WeakCertificates(metrics, 'webhooks', identity);
    const notes: [string, string][] = [];
    const request = { annotate: (key: string, value: string) => void notes.push([key, value]) };
    const error = await failure(leaf);
    assert.ok(error.message.endsWith(VERIFIED + problem), error.message);
    weak.note(error, NAME, request);
    weak.note(error, '', request);
    assert.equal(notes, id === undefined ? [] : [[`${id}.${DOMAIN}/${NAME}`, reason]]);
    const lines = (await metrics.text()).body.split('\n').filter((line) => line.startsWith('apiserver_'));
    const counted = (of: string): string => (of === id ? '2' : '0');
    assert.equal(lines, [
      `apiserver_webhooks_x509_missing_san_total ${counted('missing-san')}`,
      `apiserver_webhooks_x509_insecure_sha1_total ${counted('insecure-sha1')}`,
    ]);
  });

test.run();
