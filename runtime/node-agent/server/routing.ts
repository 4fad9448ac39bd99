/** Finds the routes for the path of a request. */
import type { AgentRoute } from '../contract/part.ts';

export interface FoundRoute {
  /** the routes that have the path, one for each method; empty if no route has it */
  readonly routes: readonly AgentRoute[];
  /** the decoded values of the segments for which the first route has a parameter, by the parameter's name */
  readonly parameters: Readonly<Record<string, string>>;
}

const NOT_FOUND: FoundRoute = { routes: [], parameters: {} };

export class Routing {
  readonly #routes: readonly (readonly [segments: readonly string[], route: AgentRoute])[];

  constructor(routes: readonly AgentRoute[]) {
    this.#routes = routes.map((route) => [route.path.split('/').slice(1), route]);
  }

  /** @param path the path of the URL as it was sent, without the query. @throws URIError if a percent-encoding is broken */
  find(path: string): FoundRoute {
    const segments = path.split('/').slice(1).map(decodeURIComponent);
    const withoutSlash = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
    const found = this.#routes.flatMap(([pattern, route]) => {
      const parameters = match(pattern, segments) ?? (route.isExact ? undefined : match(pattern, withoutSlash));
      return parameters === undefined ? [] : [{ route, parameters }];
    });
    if (found.length === 0) return NOT_FOUND;
    return { routes: found.map(({ route }) => route), parameters: found[0]?.parameters ?? {} };
  }
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] as string;
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined ? part !== segment : segment === '') return undefined;
    if (name !== undefined) parameters[name] = segment;
  }
  return parameters;
}
