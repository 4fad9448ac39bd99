import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificatesIn } from '../../runtime/certificates/certificates-in.ts';
import { OpenSsl } from '../harness/openssl.ts';

const folder = new OpenSsl();
const [first, second] = [folder.authority('first'), folder.authority('second')];
const block = (type: string, data: string): string => `-----BEGIN ${type}-----\n${data}\n-----END ${type}-----\n`;

const rows: [name: string, text: string, subjects: string[]][] = [
  ['none', '', []],
  ['several, in their order', `${second.certificate}${first.certificate}`, ['CN=second', 'CN=first']],
  ['one among other things', `# of us\n${first.key}\n${first.certificate}\nand more`, ['CN=first']],
  ['one beside a block that is malformed', `${block('CERTIFICATE', '*')}${first.certificate}`, ['CN=first']],
  ['none in a block with headers', first.certificate.replace('-----\n', '-----\nA: b\n\n'), []],
  ['none in a block of another type', first.certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'), []],
];
const test = suite('certificates in a text');
for (const [name, text, subjects] of rows)
  test(name, () =>
    assert.equal(
      certificatesIn(text).map(({ subject }) => subject),
      subjects,
    ),
  );
test('one that is none is an error', () => assert.throws(() => certificatesIn(`${first.certificate}${block('CERTIFICATE', 'AAAA')}`)));
test.after(() => folder.remove());
test.run();
