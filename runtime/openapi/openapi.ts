/**
 * The OpenAPI documents: `/openapi/v3` names one for each group version, `/openapi/v2` is one for all. Answers are those of 1.32, status and
 * headers included; only compression is left to the caller.
 */
import type { OpenapiView } from './catalog.ts';
import type { OpenapiAnswer, RequestHeaders } from './openapi-answer.ts';
import type { OpenapiService } from './openapi-service.ts';

export interface Openapi {
  /**
   * @param path of the request, not decoded
   * @returns undefined for a path that is no document's and none below `/openapi/v3/`; `elsewhere` for one that the server of the group version answers
   */
  handle(path: string, query: URLSearchParams, headers: RequestHeaders): Promise<OpenapiAnswer | 'elsewhere' | undefined>;
  /** To be called whenever the view's group versions have changed. */
  invalidate(): void;
}

/** What makes the documents is loaded with the first request for one. */
export function createOpenapi(view: OpenapiView): Openapi {
  let service: Promise<OpenapiService> | undefined;
  return {
    async handle(path, query, headers) {
      service ??= load(view);
      return (await service).handle(path, query, headers);
    },
    invalidate() {
      // before any request that comes later, for each waits for the same promise
      service?.then((loaded) => loaded.invalidate());
    },
  };
}

async function load(view: OpenapiView): Promise<OpenapiService> {
  const { OpenapiService } = await import('./openapi-service.ts');
  return new OpenapiService(view);
}
