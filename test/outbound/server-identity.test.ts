/** Certificates of other servers that 1.32 believes no longer. */
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ServiceRoutes, WebhookClient } from '../../runtime/outbound/webhook-client.ts';
import { OpenSsl } from '../harness/openssl.ts';

const test = suite('names in certificates of other servers');
const ssl = new OpenSsl();
const issuer = ssl.authority('ca');
const NAME = 'hook.default.svc';
const serviceRoutes: ServiceRoutes = { resolve: ({ port }) => ({ host: '127.0.0.1', port }) };

async function ask(subject: string, host: string | undefined): Promise<string> {
  const { key, certificate: cert } = ssl.leaf({ subject, issuer, usage: 'serverAuth', ...(host !== undefined && { host }) });
  const server = https.createServer({ key, cert }, (_, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const place = { service: { namespace: 'default', name: 'hook', port }, caBundle: Buffer.from(issuer.certificate).toString('base64') };
  const client = new WebhookClient(place, { serviceRoutes });
  try {
    return String(await client.post('{}', { maxBytes: 100 }));
  } catch (error) {
    return (error as Error).message.replace(/^Post "[^"]*": /, '');
  } finally {
    client.close();
    server.close();
  }
}

test('are believed as alternative names', async () => {
  assert.is(await ask('/CN=other', NAME), '{}');
});
test('are not believed as Common Name alone', async () => {
  const problem = 'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead';
  assert.is(await ask(`/CN=${NAME}`, undefined), problem);
});
test('are not believed where they are those of another server', async () => {
  const verified = 'tls: failed to verify certificate: x509: certificate is';
  assert.is(await ask(`/CN=${NAME}`, 'other.svc'), `${verified} valid for other.svc, not ${NAME}`);
  assert.is(await ask('/CN=other', undefined), `${verified} not valid for any names, but wanted to match ${NAME}`);
});

test.run();
