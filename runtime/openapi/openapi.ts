/**
 * Serves the OpenAPI documents: `/openapi/v3` lists one for each group version, `/openapi/v2` has one for all. Answers, including status
 * and headers, are those of 1.32; compression is left to the caller.
 */
import type { OpenapiView } from './catalog.ts';
import type { OpenapiAnswer, RequestHeaders } from './openapi-answer.ts';
import type { OpenapiService } from './openapi-service.ts';

export interface Openapi {
  /**
   * @param path of the request, not decoded
   * @returns undefined if no document can have the path; `elsewhere` if the server of the group version must answer
   */
  handle(path: string, query: URLSearchParams, headers: RequestHeaders): Promise<OpenapiAnswer | 'elsewhere' | undefined>;
  /** Must be called whenever the group versions of the view have changed. */
  invalidate(): void;
}

/** The code that makes documents is loaded with the first request for one. */
export function createOpenapi(view: OpenapiView): Openapi {
  let service: Promise<OpenapiService> | undefined;
  return {
    async handle(path, query, headers) {
      service ??= load(view);
      return (await service).handle(path, query, headers);
    },
    invalidate() {
      // this runs before later requests, because they wait for the same promise
      service?.then((loaded) => loaded.invalidate());
    },
  };
}

async function load(view: OpenapiView): Promise<OpenapiService> {
  const { OpenapiService } = await import('./openapi-service.ts');
  return new OpenapiService(view);
}
