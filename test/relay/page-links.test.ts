/** Links in pages lead where a client finds them, and nothing else of a page is touched. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLinks } from '../../runtime/relay/page-links.ts';

const relink = (link: string): string => (link.startsWith('/') ? `/p${link}` : link);

/** @param size bytes of each piece in which the page comes */
async function shown(page: string, size = page.length): Promise<string> {
  const bytes = Buffer.from(page);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return Buffer.concat(await Readable.from(pieces).pipe(pageLinks(relink)).toArray()).toString();
}

const rows: [name: string, page: string, expected: string][] = [
  ['of what a reader follows', '<p>é <a href="/x">x</a></p>', '<p>é <a href="/p/x">x</a></p>'],
  ['of what a page is made of', "<link rel=x href=/a.css><img src='/i.png'/>", '<link rel=x href="/p/a.css"><img src="/p/i.png"/>'],
  ['in capital letters', '<A HREF="/x">', '<A HREF="/p/x">'],
  ['of several attributes', '<input src="/a" name="/n" formaction="/b">', '<input src="/p/a" name="/n" formaction="/p/b">'],
  ['with spaces around the sign', '<form\n action = "/x" >', '<form\n action = "/p/x" >'],
  ['whose characters are numbers', '<a href="&#x2F;a?b=1&amp;c=&quot;">', '<a href="/p/a?b=1&amp;c=&quot;">'],
  ['that hold quotes', `<a href='/a"b'>`, '<a href="/p/a&#34;b">'],
  [
    'behind a script',
    '<script src="/s.js">if (a < b) "<a href=\'/x\'>"</script><a href="/y">',
    '<script src="/p/s.js">if (a < b) "<a href=\'/x\'>"</script><a href="/p/y">',
  ],
  ['behind a comment', '<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="/p/y">'],
  ['behind an empty comment', '<!--><a href="/y">', '<!--><a href="/p/y">'],
  ['behind a sign that begins no tag', '1 < 2 <> <a href="/y">', '1 < 2 <> <a href="/p/y">'],
  ['behind a value that holds the end of a tag', '<img alt=">" src="/y">', '<img alt=">" src="/p/y">'],
  ['behind an attribute without a value', '<a download href="/y">', '<a download href="/p/y">'],
];
const same: [name: string, page: string][] = [
  ['links that stay', '<a href=x><a href="https://other.example/"><a href=\'#a\'>'],
  ['attributes that hold no links', '<a title="/x"><div href="/x" data-href="/y">'],
  ['text', 'href="/x" </a href="/x">'],
  ['a title', '<title><a href="/x"></title>'],
  ['a tag that does not end', '<a href="/x"'],
  ['a value that does not end', '<a href="/x>'],
  ['a comment that does not end', '<!-- <a href="/x">'],
  ['nothing', ''],
];

const test = suite('links in pages');
for (const [name, page, expected] of [...rows, ...same.map(([name, page]): [string, string, string] => [name, page, page])])
  test(name, async () => {
    for (const size of [page.length, 1, 2, 7]) assert.is(await shown(page, size), expected, `${size}`);
  });

test('behind a tag that is too long to be held', async () => {
  const image = `<img src="data:${'x'.repeat(200_000)}">`;
  assert.is(await shown(`${image}<a href="/x">`, 10_000), `${image}<a href="/p/x">`);
});
test('in a tag that comes byte by byte are found once', async () => {
  const tag = `<input ${'a '.repeat(15_000)}${'src="/x" '.repeat(2_000)}`;
  const begun = process.cpuUsage();
  assert.ok((await shown(`${tag}>`, 1)) === `${tag.replaceAll('"/x"', '"/p/x"')}>`);
  assert.ok(process.cpuUsage(begun).user < 5_000_000);
});
test.run();
