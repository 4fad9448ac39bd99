import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileError } from '../../../runtime/files/file-error.ts';
import { checkProfile, type ProfileFindings } from '../../../runtime/node-agent/seccomp/profile.ts';

const profiles = suite('seccomp profiles');

const check = (profile: unknown): ProfileFindings =>
  checkProfile(typeof profile === 'string' ? profile : JSON.stringify(profile), 'p.json');
/** A profile with one rule. */
const rule = (members: object) => ({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [members] });
const argument = (members: object) => rule({ names: ['personality'], action: 'SCMP_ACT_ERRNO', args: [members] });

const ACTIONS = ['ERRNO', 'ALLOW', 'KILL_PROCESS', 'KILL_THREAD', 'KILL', 'TRAP', 'NOTIFY', 'TRACE', 'LOG'].map(
  (name) => `SCMP_ACT_${name}`,
);
for (const action of ACTIONS) {
  profiles(`${action} of a system call is an action`, () => assert.equal(check(rule({ names: ['chmod'], action })).problems, []));
  if (action !== 'SCMP_ACT_NOTIFY')
    profiles(`${action} is a default action`, () => assert.equal(check({ defaultAction: action }), { problems: [], warnings: [] }));
}

const valid: [name: string, profile: unknown][] = [
  ['a default with a number', { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 38 }],
  [
    'all that runtimes know',
    {
      defaultAction: 'SCMP_ACT_ERRNO',
      architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
      flags: ['SECCOMP_FILTER_FLAG_LOG'],
      listenerPath: '/run/agent.sock',
      listenerMetadata: 'x',
      syscalls: [
        { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW' },
        { names: ['chmod'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
        { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value: 2114060288, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] },
      ],
    },
  ],
  [
    'members that are null, which runtimes take for absent ones',
    {
      defaultAction: 'SCMP_ACT_ALLOW',
      defaultErrnoRet: null,
      architectures: null,
      flags: null,
      listenerMetadata: null,
      syscalls: [{ names: ['chmod'], action: 'SCMP_ACT_LOG', errnoRet: null, args: null }],
    },
  ],
  ['no rules', { defaultAction: 'SCMP_ACT_ALLOW', syscalls: null }],
  [
    'a value of 64 bits',
    '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_LOG","args":[{"index":5,"value":18446744073709551615,"op":"SCMP_CMP_EQ"}]}]}',
  ],
];
for (const [name, profile] of valid) profiles(name, () => assert.equal(check(profile), { problems: [], warnings: [] }));

const wrong: [name: string, profile: unknown, problems: RegExp[]][] = [
  ['no default action', {}, [/^defaultAction: Required value$/]],
  ['a default action that is null', { defaultAction: null }, [/^defaultAction: Required value$/]],
  [
    'names and an action that are null',
    rule({ names: null, action: null }),
    [/^syscalls\[0\]\.names: Required value/, /^syscalls\[0\]\.action: Required value$/],
  ],
  [
    'a listener by default',
    { defaultAction: 'SCMP_ACT_NOTIFY' },
    [/^defaultAction: Invalid value: "SCMP_ACT_NOTIFY": cannot be the default action/],
  ],
  [
    'an unknown default action',
    { defaultAction: 'ALLOW' },
    [/^defaultAction: Unsupported value: "ALLOW": supported values: "SCMP_ACT_ERRNO", (?!.*NOTIFY)/],
  ],
  [
    'an unknown action',
    rule({ names: ['a'], action: 'scmp_act_allow' }),
    [/^syscalls\[0\]\.action: Unsupported value: "scmp_act_allow".*NOTIFY/],
  ],
  [
    'a listener of write',
    rule({ names: ['read', 'write'], action: 'SCMP_ACT_NOTIFY' }),
    [/^syscalls\[0\]\.action: .*cannot be the action of write$/],
  ],
  [
    'a rule of nothing',
    rule({}),
    [/^syscalls\[0\]\.names: Required value: a rule names at least one system call$/, /^syscalls\[0\]\.action: Required value$/],
  ],
  ['a rule without names', rule({ names: [], action: 'SCMP_ACT_LOG' }), [/^syscalls\[0\]\.names: Required value/]],
  [
    'names that are none',
    rule({ names: ['', 7], action: 'SCMP_ACT_LOG' }),
    [/^syscalls\[0\]\.names\[0\]: Required/, /^syscalls\[0\]\.names\[1\]: Invalid value: 7: must be a text$/],
  ],
  [
    'a rule that is no object',
    { defaultAction: 'SCMP_ACT_LOG', syscalls: ['read'] },
    [/^syscalls\[0\]: Invalid value: "read": must be an object$/],
  ],
  ['rules that are no list', { defaultAction: 'SCMP_ACT_LOG', syscalls: {} }, [/^syscalls: Invalid value: \{\}: must be a list$/]],
  [
    'a number with an action that has none',
    rule({ names: ['a'], action: 'SCMP_ACT_KILL', errnoRet: 1 }),
    [/^syscalls\[0\]\.errnoRet: Invalid value: 1: may be set only where action is SCMP_ACT_ERRNO or SCMP_ACT_TRACE$/],
  ],
  ['a default number likewise', { defaultAction: 'SCMP_ACT_ALLOW', defaultErrnoRet: 1 }, [/^defaultErrnoRet: .* where defaultAction is/]],
  [
    'a number below zero',
    { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: -1 },
    [/^defaultErrnoRet: Invalid value: -1: must be between 0 and 4294967295/],
  ],
  [
    'a number that is a text',
    { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: '1' },
    [/^defaultErrnoRet: Invalid value: "1": must be an integer$/],
  ],
  ['a number with a fraction', { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1.5 }, [/must be an integer$/]],
  [
    'a seventh argument',
    argument({ index: 6, value: 0, op: 'SCMP_CMP_EQ' }),
    [/^syscalls\[0\]\.args\[0\]\.index: Invalid value: 6: must be between 0 and 5/],
  ],
  ['an unknown operator', argument({ index: 0, value: 0, op: '==' }), [/^syscalls\[0\]\.args\[0\]\.op: Unsupported value: "=="/]],
  ['an argument without a value', argument({ index: 0, op: 'SCMP_CMP_EQ' }), [/^syscalls\[0\]\.args\[0\]\.value: Required value$/]],
  ['an unknown architecture', { defaultAction: 'SCMP_ACT_LOG', architectures: ['x86_64'] }, [/^architectures\[0\]: Unsupported value/]],
  ['an unknown flag', { defaultAction: 'SCMP_ACT_LOG', flags: ['LOG'] }, [/^flags\[0\]: Unsupported value/]],
  ['metadata for nobody', { defaultAction: 'SCMP_ACT_LOG', listenerMetadata: 'x' }, [/^listenerPath: Required value/]],
];
for (const [name, profile, problems] of wrong)
  profiles(`${name}: refused`, () => {
    const found = check(profile).problems;
    assert.is(found.length, problems.length, found.join('\n'));
    for (const [index, problem] of problems.entries()) assert.match(found[index] as string, problem);
  });

const doubtful: [name: string, profile: unknown, warning: RegExp][] = [
  [
    'a listener',
    rule({ names: ['mkdir'], action: 'SCMP_ACT_NOTIFY' }),
    /^syscalls\[0\]\.action: SCMP_ACT_NOTIFY may be unsupported by the runtime$/,
  ],
  ['a member of another format', { defaultAction: 'SCMP_ACT_LOG', archMap: [] }, /^archMap: runtimes have no such member/],
  ['one of the language', '{"defaultAction":"SCMP_ACT_LOG","constructor":1}', /^constructor: runtimes have no such member/],
  ['a member that stands twice', '{"defaultAction":"SCMP_ACT_LOG","defaultAction":"SCMP_ACT_LOG"}', /^defaultAction: stands twice$/],
];
for (const [name, profile, warning] of doubtful)
  profiles(`${name}: a warning`, () => {
    const { problems, warnings } = check(profile);
    assert.equal(problems, []);
    assert.is(warnings.length, 1);
    assert.match(warnings[0] as string, warning);
  });

const unread: [name: string, text: string, message: RegExp][] = [
  ['no JSON', '{', /^p\.json: it is no JSON: /],
  ['YAML', 'defaultAction: SCMP_ACT_LOG', /it is no JSON/],
  ['a list', '[]', /it holds no JSON object/],
  ['nothing', '', /it is no JSON/],
];
for (const [name, text, message] of unread)
  profiles(`${name}: an error`, () => {
    assert.throws(
      () => checkProfile(text, 'p.json'),
      (error: Error) => error instanceof FileError && message.test(error.message),
    );
  });
profiles('of very many problems some are told', () => {
  const { problems } = check({ defaultAction: 'SCMP_ACT_LOG', syscalls: Array(100_000).fill(1) });
  assert.is(problems.length, 100);
});
profiles.run();
