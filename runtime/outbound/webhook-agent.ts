/** Who asks webhooks. It stands apart from their client, which a server loads only when it asks one. */
import type { Identity } from '../contract/identity.ts';

/** The header `User-Agent` for webhooks of admission and of conversion, as in 1.32. */
export const webhookAgent = ({ text }: Pick<Identity, 'text'>): string => text('${serverName}-admission');
