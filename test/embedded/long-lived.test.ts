/** A process that lives longer than certificates do. Alone in its process: what it makes is valid only later, and all servers of a process share it. */
import { X509Certificate } from 'node:crypto';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';

const DAY = 24 * 60 * 60 * 1_000;

const daysLeft = ({ clientConfig }: EmbeddedServer): number =>
  Math.round((new X509Certificate(clientConfig.clientCertificate).validToDate.getTime() - Date.now()) / DAY);

const test = suite('servers of a process that has run for long');
test.after.each(() => mock.timers.reset());
for (const [days, left] of [
  [300, 65],
  [310, 365],
  [1_000, 365],
] as const)
  test(`are forked with certificates for ${left} days after ${days}`, async () => {
    await using origin = await startServer({ dialect: 'kubernetes', log: false, flags: { 'external-hostname': `api${days}.example` } });
    assert.is(daysLeft(origin), 365);
    mock.timers.enable({ apis: ['Date'], now: Date.now() + days * DAY });
    await using fork = await origin.fork();
    assert.is(daysLeft(fork), left);
    assert.is(fork.clientConfig.certificateAuthority, origin.clientConfig.certificateAuthority);
  });
test.run();
