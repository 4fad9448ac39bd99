/** Prints list entries in the messages about duplicate names, as 1.32 does: each like a Go struct, with its members in their order. */

type JsonObject = Readonly<Record<string, unknown>>;
type Form = 'text' | 'flag' | 'bytes' | 'list' | 'map' | 'pointer' | 'extensions';

export type EntryType = 'Cluster' | 'AuthInfo' | 'Context';

const MEMBERS: Readonly<Record<EntryType, Readonly<Record<string, Form>>>> = {
  Cluster: {
    server: 'text',
    'tls-server-name': 'text',
    'insecure-skip-tls-verify': 'flag',
    'certificate-authority': 'text',
    'certificate-authority-data': 'bytes',
    'proxy-url': 'text',
    'disable-compression': 'flag',
    extensions: 'extensions',
  },
  AuthInfo: {
    'client-certificate': 'text',
    'client-certificate-data': 'bytes',
    'client-key': 'text',
    'client-key-data': 'bytes',
    token: 'text',
    tokenFile: 'text',
    as: 'text',
    'as-uid': 'text',
    'as-groups': 'list',
    'as-user-extra': 'map',
    username: 'text',
    password: 'text',
    'auth-provider': 'pointer',
    exec: 'pointer',
    extensions: 'extensions',
  },
  Context: { cluster: 'text', user: 'text', namespace: 'text', extensions: 'extensions' },
};

/** @param member of each entry that has what is named */
export function shownEntries(type: EntryType, member: string, entries: readonly JsonObject[]): string {
  return list(entries.map((entry) => `{${text(entry.name)} ${members(MEMBERS[type], (entry[member] ?? {}) as JsonObject)}}`));
}

export function shownExtensions(entries: readonly JsonObject[]): string {
  return list(entries.map(({ name, extension }) => `{${text(name)} {${bytes(Buffer.from(JSON.stringify(extension ?? null)))} <nil>}}`));
}

function members(forms: Readonly<Record<string, Form>>, object: JsonObject): string {
  return `{${Object.entries(forms)
    .map(([name, form]) => shown(form, object[name]))
    .join(' ')}}`;
}

function shown(form: Form, value: unknown): string {
  switch (form) {
    case 'flag':
      return String(value === true);
    case 'bytes':
      return bytes(Buffer.from(text(value), 'base64'));
    case 'list':
      return list(((value ?? []) as unknown[]).map(text));
    case 'map': {
      const entries = Object.entries((value ?? {}) as Record<string, unknown[]>).sort(([a], [b]) => (a < b ? -1 : 1));
      return `map[${entries.map(([key, values]) => `${key}:${list(values.map(text))}`).join(' ')}]`;
    }
    case 'pointer':
      // Go prints the address of a pointer here
      return value === undefined || value === null ? '<nil>' : '0xc000000000';
    case 'extensions':
      return shownExtensions((value ?? []) as JsonObject[]);
    default:
      return text(value);
  }
}

const text = (value: unknown): string => String(value ?? '');
const list = (parts: readonly string[]): string => `[${parts.join(' ')}]`;
const bytes = (buffer: Buffer): string => list([...buffer].map(String));
