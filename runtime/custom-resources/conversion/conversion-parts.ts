/** The settings of a custom resource's conversion, and the parts of the server that it needs. */

import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { ServiceRoutes, WebhookPlace } from '../../outbound/webhook-client.ts';

/** The field `spec.conversion` of definitions. */
export interface CustomConversion {
  readonly strategy: 'None' | 'Webhook';
  readonly webhook?: {
    readonly clientConfig?: WebhookPlace;
    /** versions of reviews that the webhook accepts; the first one that this server knows is sent */
    readonly conversionReviewVersions: readonly string[] | null;
  };
}

/** The resource whose objects are converted. */
export interface ConvertedResource {
  /** name of the definition, such as `widgets.shop.example` */
  readonly name: string;
  readonly group: string;
  /** names of all versions, served or not */
  readonly versions: readonly string[];
}

export interface ConversionParts {
  /** group of the reviews that are sent */
  readonly reviewGroup: string;
  /** the header `User-Agent` of webhooks */
  readonly userAgent: string;
  readonly serviceRoutes: ServiceRoutes;
  readonly egress?: Egress | undefined;
  readonly metrics: Metrics;
  /** whether answers that take long are read here: others wait for this thread otherwise */
  readonly mayTakeLong: boolean;
}
