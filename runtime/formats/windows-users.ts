/** Names of users on Windows. */
import { isLongerThan, NOTHING } from './messages.ts';

/** A domain is shorter. */
const DOMAIN_LENGTH = 256;
const USER_LENGTH = 104;

const netBiosPattern = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const domainPattern = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controlPattern = /[\u0000-\u001f\u007f]/;

/** Accepts a user, which a domain and a backslash may precede. */
export function windowsUserName(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (controlPattern.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const messages = [...(parts.length === 2 ? domainMessages(parts[0] as string) : NOTHING), ...userMessages(parts.at(-1) as string)];
  return messages.length === 0 ? NOTHING : messages;
}

function domainMessages(domain: string): string[] {
  const messages: string[] = [];
  if (isLongerThan(domain, DOMAIN_LENGTH - 1)) messages.push(`runAsUserName's Domain length must be under ${DOMAIN_LENGTH} characters`);
  if (!netBiosPattern.test(domain) && !domainPattern.test(domain))
    messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return messages;
}

function userMessages(user: string): string[] {
  const messages: string[] = [];
  if (user === '') messages.push("runAsUserName's User cannot be empty");
  else if (isLongerThan(user, USER_LENGTH)) messages.push(`runAsUserName's User length must not be longer than ${USER_LENGTH} characters`);
  if (/^[. ]+$/.test(user)) messages.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) messages.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return messages;
}
