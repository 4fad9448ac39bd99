/** What a running server uses of certificate files that change. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CertificatesInForce } from '../../runtime/assembly/certificates-in-force.ts';
import type { Setup } from '../../runtime/assembly/setup/setup.ts';
import { FollowedFiles } from '../../runtime/files/followed-files.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { ServerCertificates } from '../../runtime/server/listener/serving-certificates.ts';
import { OpenSsl } from '../harness/openssl.ts';

const folder = new OpenSsl();
const [one, two] = [folder.write('one.pem', 'first'), folder.write('two.pem', 'first')];

/** Certificates whose authority tells which files were read, in their order. */
const read = (authority: string): ServerCertificates =>
  ({
    authority,
    files: [one, two],
    reread: (file: string) => read(`${authority} ${file === one ? 'one' : 'two'}`),
  }) as unknown as ServerCertificates;

const test = suite('certificates in force');
test.after(() => folder.remove());

test('each file is read again after those that were read before, and what cannot be used is taken back', async () => {
  const failures: string[] = [];
  const log: Log = { debug() {}, info() {}, warn() {}, error: ({ err }: { err?: unknown }) => void failures.push((err as Error).message) };
  const followedFiles = new FollowedFiles();
  const certificates = new CertificatesInForce(read('start'));
  const used: string[] = [];
  let refused = '';
  const end = await certificates.follow({ log, followedFiles } as Setup, () => {
    const { authority } = certificates.current;
    if (authority === refused) throw new Error(`no use for ${authority}`);
    used.push(authority);
  });
  const write = async (file: string, text: string): Promise<void> => {
    folder.write(file, text);
    await followedFiles.readAgain();
  };
  await write('one.pem', 'second');
  await write('two.pem', 'second');
  assert.equal(used, ['start one', 'start one two']);
  refused = 'start one two one';
  await write('one.pem', 'third');
  assert.equal(failures, ['no use for start one two one']);
  assert.equal([used.at(-1), certificates.current.authority], ['start one two', 'start one two']);
  await write('two.pem', 'third');
  assert.is(used.at(-1), 'start one two two');
  end();
});

/** Own certificates that are due at a time, and what a renewal makes of them. */
const due = (renewal: number, renew: () => Promise<ServerCertificates | undefined>): ServerCertificates =>
  ({ authority: 'old', files: [], renewal, renew }) as unknown as ServerCertificates;
const NEW = due(100, async () => undefined);

test("a server's own certificates are renewed once it is time, and used then", async () => {
  let asked = 0;
  const certificates = new CertificatesInForce(
    due(10, async () => {
      asked++;
      return NEW;
    }),
  );
  let changes = 0;
  const changed = () => void changes++;
  assert.is(await certificates.renew(true, changed, 9), false);
  assert.equal([asked, changes], [0, 0]);
  assert.is(await certificates.renew(true, changed, 10), true);
  assert.equal([asked, changes, certificates.current === NEW], [1, 1, true]);
  assert.is(await certificates.renew(true, changed, 99), false);
});
test('what another process has not made yet is asked for again, and what cannot be used is taken back', async () => {
  const answers: (ServerCertificates | undefined)[] = [undefined, NEW, NEW];
  const old = due(10, async () => answers.shift());
  const certificates = new CertificatesInForce(old);
  const used: boolean[] = [];
  assert.is(await certificates.renew(false, () => used.push(true), 10), false);
  const refusing = (): void => {
    used.push(certificates.current === NEW);
    if (certificates.current === NEW) throw new Error('no use');
  };
  assert.is(await certificates.renew(false, refusing, 11).catch((error: Error) => error.message), 'no use');
  assert.equal([used, certificates.current === old], [[true, false], true]);
  assert.is(await certificates.renew(false, () => {}, 12), true);
});
test.run();
