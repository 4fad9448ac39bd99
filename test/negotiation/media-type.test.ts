import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mediaTypeOf } from '../../runtime/negotiation/media-type.ts';

const test = suite('media types');

const rows: { header: string; want: string | undefined }[] = [
  { header: 'application/json', want: 'application/json' },
  { header: 'Application/JSON', want: 'application/json' },
  { header: ' application/json ', want: 'application/json' },
  { header: 'application/json;charset=utf-8', want: 'application/json' },
  { header: 'application/json ; Charset = "utf-8" ; stream=watch', want: 'application/json' },
  { header: 'application/json;', want: 'application/json' },
  { header: 'application/json; ', want: 'application/json' },
  { header: 'application/json; a=b;', want: 'application/json' },
  { header: 'application/json;;', want: undefined },
  { header: 'application/json; charset', want: undefined },
  { header: 'application/json; charset=', want: undefined },
  { header: 'application/json; =utf-8', want: undefined },
  { header: 'application/json; charset=utf-8 stream', want: undefined },
  { header: 'application/json; charset=a/b', want: undefined },
  { header: 'application/json; a=b; A=b', want: 'application/json' },
  { header: 'application/json; a=b; a="b"', want: 'application/json' },
  { header: 'application/json; a=b; A=c', want: undefined },
  { header: 'application/json; a="b;c=\\"d\\""', want: 'application/json' },
  { header: 'application/json; a=""', want: 'application/json' },
  { header: 'application/json; a="\\x"', want: 'application/json' },
  { header: 'application/json; a="open', want: undefined },
  { header: 'application/json; a="open\\"', want: undefined },
  { header: 'application/json, text/plain', want: 'application/json, text/plain' },
  { header: ';', want: '' },
];
for (const { header, want } of rows) test(JSON.stringify(header), () => assert.is(mediaTypeOf(header), want));

test('a long header is read in linear time', () => {
  const spaces = ' '.repeat(100_000);
  assert.is(mediaTypeOf(`application/json${`;a=b${' '.repeat(5)}`.repeat(20_000)}`), 'application/json');
  assert.is(mediaTypeOf(`application/json${';a=b'.repeat(100_000)}${'\u00a0'.repeat(500_000)}`), 'application/json');
  assert.is(mediaTypeOf(`application/json;${spaces}x`), undefined);
  assert.is(mediaTypeOf(`application/json;a="${'\\'.repeat(100_001)}`), undefined);
});

test.run();
