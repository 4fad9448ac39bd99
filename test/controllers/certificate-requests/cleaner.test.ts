/** Requests for certificates go by the clock, and nothing else does. */
import { generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSigningRequest } from '../../../runtime/certificates/create-signing-request.ts';
import { eventually, SETTINGS, TestCluster } from '../server.ts';
import { TestClock } from '../test-clock.ts';

const HOUR = 60 * 60 * 1_000;
const API = 'certificates.k8s.io/v1';
const NAME = 'certificatesigningrequests';

const cleaning = suite('old requests for certificates');
cleaning('are deleted when they have waited for a day', async () => {
  const clock = new TestClock(Date.now());
  const cluster = await TestCluster.create({ settings: { ...SETTINGS, clock } });
  try {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const request = Buffer.from(createSigningRequest({ commonName: 'x', organizations: [] }, privateKey)).toString('base64');
    const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };
    await cluster.create(API, NAME, { metadata: { name: 'old' }, spec });
    await cluster.start('csrcleaner');
    const names = (): string[] => cluster.objects(`${NAME}/`).map(({ metadata }) => metadata.name as string);
    await eventually(
      () => clock.asked.includes(HOUR),
      () => 'the cleaner does not wait',
    );
    for (let hour = 0; hour < 23; hour++) clock.advance(HOUR);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(names(), ['old']);
    clock.advance(2 * HOUR);
    await eventually(
      () => names().length === 0,
      () => `${names()} are left`,
    );
  } finally {
    await cluster.remove();
  }
});
cleaning.run();
