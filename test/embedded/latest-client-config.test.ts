/** Clients that ask again for the configuration of a server get one that is valid, however long it runs. */
import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { latestClientConfig } from '../../runtime/embedded/latest-client-config.ts';
import { SharedCertificates } from '../../runtime/server/certificates/certificates.ts';

const test = suite('the configuration of clients');
const place = { name: 'n', server: 'https://127.0.0.1:1', token: 't' };
const MONTH = 30 * 24 * 60 * 60 * 1_000;

test('is the same one until the certificates are renewed, and has the new ones then', async () => {
  const shared = new SharedCertificates();
  const at = (months: number) => shared.of({ names: ['127.0.0.1'], administrator: 'a', now: Date.now() + months * MONTH });
  let certificates = await at(0);
  const latest = latestClientConfig(place, () => certificates);
  const first = latest();
  assert.is(latest(), first);
  certificates = await at(11);
  const second = latest();
  assert.is(new X509Certificate(second.clientCertificate).validToDate.getTime() > Date.now() + 22 * MONTH, true);
  assert.is(second.certificateAuthority, first.certificateAuthority);
  assert.equal([second.server, second.token], [first.server, first.token]);
  const encoded = Buffer.from(second.clientCertificate).toString('base64');
  assert.ok(second.kubeconfig.includes(encoded), 'the file for other programs has it as well');
});

test.run();
