import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FollowedFiles } from '../../../runtime/files/followed-files.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { followCertificateFiles } from '../../../runtime/server/certificates/certificate-files.ts';
import type { ServerCertificates } from '../../../runtime/server/listener/serving-certificates.ts';
import { OpenSsl } from '../../harness/openssl.ts';

const folder = new OpenSsl();
const lines: string[] = [];
const line = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`);
const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

/** Waits up to 10 s for something that is seen to change. */
async function until(what: () => boolean): Promise<void> {
  for (let left = 200; !what(); left--) {
    assert.ok(left > 0, lines.join('\n'));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const test = suite('files of certificates');
test('that are wrong leave in force what was there, until they are right', async () => {
  const file = folder.write('ca.pem', 'first');
  const seen: string[] = [];
  let broken = true;
  const certificates = {
    files: [file],
    reread(changed: string) {
      assert.is(changed, file);
      if (broken) throw new Error('--client-ca-file: the file holds no certificate in PEM form');
      return { authority: 'new' };
    },
  } as unknown as ServerCertificates;
  const end = await followCertificateFiles(certificates, ({ authority }) => void seen.push(authority), log, new FollowedFiles());
  folder.write('ca.pem', 'second');
  await until(() => lines.includes('error the new certificates of a file are not used'));
  assert.equal(seen, []);
  broken = false;
  folder.write('ca.pem', 'third');
  await until(() => seen.length > 0);
  assert.equal(seen, ['new']);
  end();
});
test.after(() => folder.remove());
test.run();
