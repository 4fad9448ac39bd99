/** The parts of a URL as Go splits it: nothing is normalised, and text that is no URL for a browser may be one. */
export interface UrlParts {
  readonly scheme: string;
  /** with the port */
  readonly host: string;
  /** with the password, as written; undefined: none */
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

/** @returns the parts, or the sentence that Go's parser has for what is wrong */
export function parseUrl(text: string): UrlParts | { readonly error: string } {
  const fail = (problem: string): { error: string } => ({ error: `parse ${JSON.stringify(text)}: ${problem}` });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return fail('net/url: invalid control character in URL');
  const hash = text.indexOf('#');
  const fragment = hash === -1 ? '' : text.slice(hash + 1);
  const whole = hash === -1 ? text : text.slice(0, hash);
  if (whole.startsWith(':')) return fail('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(whole)?.[1] ?? '';
  const rest = scheme === '' ? whole : whole.slice(scheme.length + 1);
  const mark = rest.indexOf('?');
  const query = mark === -1 ? '' : rest.slice(mark + 1);
  const path = mark === -1 ? rest : rest.slice(0, mark);
  if (scheme === '' && /^[^/]*:/.test(path)) return fail('first path segment in URL cannot contain colon');
  const authority = path.startsWith('//') && !path.startsWith('///') ? (/^\/\/([^/]*)/.exec(path)?.[1] ?? '') : '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const problem = hostProblem(host) ?? escapeProblem(path) ?? escapeProblem(fragment);
  if (problem !== undefined) return fail(problem);
  return { scheme: scheme.toLowerCase(), host, user: at === -1 ? undefined : authority.slice(0, at), query, fragment };
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const colon = host.lastIndexOf(':');
  const port = host.startsWith('[') ? host.slice(host.lastIndexOf(']') + 1) : colon === -1 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const odd = /[ "<>\\^`{|}]/.exec(host);
  return odd === null ? undefined : `invalid character ${JSON.stringify(odd[0])} in host name`;
}

function escapeProblem(text: string): string | undefined {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text);
  return wrong === null ? undefined : `invalid URL escape ${JSON.stringify(wrong[0])}`;
}
