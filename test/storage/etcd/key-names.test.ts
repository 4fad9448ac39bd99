import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyNames } from '../../../runtime/storage/etcd/key-names.ts';
import { MAX_KEY_BYTES } from '../../../runtime/storage/storage.ts';

const names = suite('names of keys in etcd');

for (const [given, prefix, end] of [
  ['/registry', '/registry/', '/registry0'],
  ['registry', '/registry/', '/registry0'],
  ['/registry/', '/registry/', '/registry0'],
  ['registry//', '/registry/', '/registry0'],
  ['//registry', '/registry/', '/registry0'],
  ['/a/b', '/a/b/', '/a/b0'],
  ['/a//b/', '/a/b/', '/a/b0'],
  ['/a/../b/./c', '/b/c/', '/b/c0'],
  ['/', '/', '0'],
  ['', '/', '0'],
  ['/größe', '/größe/', '/größe0'],
] as const)
  names(`the prefix ${JSON.stringify(given)} is ${prefix}, and ends before ${end}`, () => {
    const of = new KeyNames(given);
    assert.is(of.prefix, prefix);
    assert.is(of.end, end);
    assert.is(of.inEtcd('pods/a/b'), `${prefix}pods/a/b`);
    assert.is(of.here(Buffer.from(`${prefix}pods/a/b`)), 'pods/a/b');
  });

for (const [what, key] of [
  ['as long as may be', `pods/${'k'.repeat(MAX_KEY_BYTES - 5)}`],
  ['of characters of several bytes', 'pods/größe'],
  ['beyond the basic plane', 'pods/\u{1f600}'],
  ['with the character that stands for what cannot be read', 'pods/a\ufffdb'],
  ['that begins with the sign of an order of bytes', '\ufeffpods/a'],
] as const)
  names(`a key ${what} is the same here and there`, () => {
    const of = new KeyNames('/registry');
    assert.is(of.here(Buffer.from(of.inEtcd(key))), key);
  });

for (const [what, key] of [
  ['that is no UTF-8', Buffer.from([0x70, 0x2f, 0xff, 0x61])],
  ['that ends within a character', Buffer.from([0x70, 0x2f, 0xc3])],
  ['of half a character', Buffer.from([0x70, 0x2f, 0xed, 0xa0, 0xbd])],
  ['that is no UTF-8, though it has the character that stands for that', Buffer.from([0xef, 0xbf, 0xbd, 0xff])],
  ['that is too long', Buffer.from('k'.repeat(MAX_KEY_BYTES + 1))],
  ['that is too long in bytes', Buffer.from('ü'.repeat(MAX_KEY_BYTES / 2 + 1))],
  ['with a zero byte', Buffer.from('pods/a\0b')],
  ['that is the prefix itself', Buffer.alloc(0)],
] as const)
  names(`a key ${what} is not followed`, () => {
    assert.is(new KeyNames('/registry').here(Buffer.concat([Buffer.from('/registry/'), key])), undefined);
  });

names.run();
