/** What texts of YAML consist of, and what is said of those that make no sense. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstDocument, type YamlEvent } from '../../../runtime/schema/yaml/yaml-events.ts';
import { YamlSyntaxError } from '../../../runtime/schema/yaml/yaml-syntax-error.ts';

const reading = suite('events of YAML');

function shown(event: YamlEvent): string {
  if (event.type === 'end') return ')';
  if (event.type === 'alias') return `*${event.name}`;
  const anchor = event.anchor === undefined ? '' : `&${event.anchor} `;
  if (event.type !== 'text') return `${anchor}${event.type}(`;
  const tag = event.tag === undefined ? '' : `<${event.tag}> `;
  return `${anchor}${tag}${event.isPlain ? event.text : JSON.stringify(event.text)}`;
}

const documents: readonly (readonly [name: string, text: string, events: string])[] = [
  ['nothing', '', ''],
  ['a mark alone', '---\n', ''],
  ['a text over lines', 'a b\n  c\n\n  d # e\n', 'a b c\nd'],
  ['a key over lines, with a mark', '? a\n  b\n: c\n', 'map( a b c )'],
  ['a key without a value', '? a\n? b\n', 'map( a  b  )'],
  ['a list in the column of its key', 'a:\n- b\n- c\nd: e\n', 'map( a list( b c ) d e )'],
  ['lists within each other', '- - a\n  - b\n-\n- c\n', 'list( list( a b )  c )'],
  ['brackets', '[a, {b: c, d}, e: f, ? g, ]', 'list( a map( b c d  ) map( e f ) map( g  ) )'],
  ['colons without blanks', '{a:b: c, "d":e, f:}', 'map( a:b c "d" e f:  )'],
  ['a dash, a question mark and a colon in words', '-a: ?b\nc: :d', 'map( -a ?b c :d )'],
  ['quotes', `["a ''b'\n\n  c", 'd''e\n  f', "\\u0041\\\n  g"]`, `list( "a ''b'\\nc" "d'e f" "Ag" )`],
  ['anchors and tags in either order', '&a !!str b: !own &c d\n&e f: *a\n', 'map( &a <tag:yaml.org,2002:str> b &c <!own> d &e f *a )'],
  ['a tag alone', 'a: !!null\n', 'map( a <tag:yaml.org,2002:null> "" )'],
  ['tags of directives', '%TAG !y! x%C3%A9:\n---\n[!y!z a, !<v> b, ! c]', 'list( <xé:z> a <v> b <!> c )'],
  ['breaks that version 1.2 does not have', 'a: b\u0085c: d\u2028e: f\u2029', 'map( a b c d e f )'],
  ['breaks in texts', '"a\u0085b\u2028c\u2029\u2029d"', '"a b\u2028c\u2029\u2029d"'],
  ['blocks', '- |\n  a\n   b\n\n- >-\n  a\n  b\n\n   c\n  d\n- |+2\n    a\n\n', 'list( "a\\n b\\n" "a b\\n\\n c\\nd" "  a\\n\\n" )'],
  ['a comment behind the head of a block', 'a: | # b\n  # c\n', 'map( a "# c\\n" )'],
  ['tabs between words', 'a:\tb\tc\t# d\n', 'map( a b\tc )'],
];
for (const [name, text, events] of documents)
  reading(name, () => {
    assert.is(firstDocument(text).events.map(shown).join(' '), events);
  });

reading('lines of nodes', () => {
  const { events } = firstDocument('a:\n  - b\n  -\nc:\nd: |\n  e\nf: &x\n  !!str g\n');
  assert.equal(
    events.flatMap((event) => (event.type === 'text' ? [`${event.text.trim()} ${event.line}`] : [])),
    ['a 0', 'b 1', ' 2', 'c 3', ' 3', 'd 4', 'e 4', 'f 6', 'g 6'],
  );
});

const refused: readonly (readonly [text: string, message: string])[] = [
  ['a: b: c', 'mapping values are not allowed in this context'],
  ['x: 1\na: b: c', 'line 2: mapping values are not allowed in this context'],
  ['a: - b', 'block sequence entries are not allowed in this context'],
  ['a: ? b', 'mapping keys are not allowed in this context'],
  ['a: 1\n b: 2', 'line 2: mapping values are not allowed in this context'],
  ['a:\n  b: 1\n c: 2', 'line 2: did not find expected key'],
  ['a: 1\nb\nc: 2', "line 3: could not find expected ':'"],
  ['a: 1\nb', "line 3: could not find expected ':'"],
  [`${'k'.repeat(1_025)}: a`, 'mapping values are not allowed in this context'],
  ['- a\nb: c', "line 1: did not find expected '-' indicator"],
  ['a:\n\tb: 1', 'line 2: found character that cannot start any token'],
  ['a: b\n\tc', 'line 2: found a tab character that violates indentation'],
  ['a: |\n\tb', 'line 2: found a tab character where an indentation space is expected'],
  ['a: |0\n b', 'found an indentation indicator equal to 0'],
  ['a: |x\n b', 'did not find expected comment or line break'],
  ['a: @b', 'found character that cannot start any token'],
  ['a: `b', 'found character that cannot start any token'],
  ['a: %b', 'found character that cannot start any token'],
  ['a: [b', "line 1: did not find expected ',' or ']'"],
  ['a: [b\nc: d', "line 1: did not find expected ',' or ']'"],
  ['a: {b', "line 1: did not find expected ',' or '}'"],
  ['a: [b,, c]', 'did not find expected node content'],
  ['a: ]', 'did not find expected node content'],
  ['a: "b', 'found unexpected end of stream'],
  ['a: 1\nb: "c\n', 'line 3: found unexpected end of stream'],
  ['a: "b\n--- c"', 'line 2: found unexpected document indicator'],
  ['a: "\\q"', 'found unknown escape character'],
  ['a: "\\x4"', 'did not find expected hexdecimal number'],
  ['a: "\\ud800"', 'found invalid Unicode character escape code'],
  ['a: & b', 'did not find expected alphabetic or numeric character'],
  ['a: &x*y b', 'did not find expected alphabetic or numeric character'],
  ['a: *x', "unknown anchor 'x' referenced"],
  ['a: *x\nb: {', "unknown anchor 'x' referenced"],
  ['a: !x!y b', 'found undefined tag handle'],
  ['\na: !x!y b', 'line 1: found undefined tag handle'],
  ['a: !<x b', "did not find the expected '>'"],
  ['a: !!%zz b', 'did not find URI escaped octet'],
  ['a: !!%ff b', 'found an incorrect leading UTF-8 octet'],
  ['a: !!%c3%28 b', 'found an incorrect trailing UTF-8 octet'],
  ['a: !x{} b', 'did not find expected whitespace or line break'],
  ['%YAML 1.1\n%YAML 1.1\n---', 'line 1: found duplicate %YAML directive'],
  ['%YAML 1\n---', "did not find expected digit or '.' character"],
  ['%YAML 1.111\n---', 'found extremely long version number'],
  ['%YAML x\n---', 'did not find expected version number'],
  ['%TAG !x y\n---', "did not find expected '!'"],
  ['%TAG !x! y\n%TAG !x! y\n---', 'line 1: found duplicate %TAG directive'],
  ['%YAML 1.1 x\n---', 'did not find expected comment or line break'],
  ['%\n---', 'could not find expected directive name'],
  ['%YAML 1.1\na: b', 'line 1: did not find expected <document start>'],
  ['...', 'did not find expected node content'],
  [' a: b\nc: d', 'line 1: did not find expected <document start>'],
  ['[a] b', 'did not find expected <document start>'],
];
for (const [text, message] of refused)
  reading(`${JSON.stringify(text.slice(0, 40))} is refused`, () => {
    assert.throws(
      () => firstDocument(text),
      (error: Error) => error instanceof YamlSyntaxError && error.message === message,
    );
  });

reading.run();
