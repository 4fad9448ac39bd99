/** The connection to the backend stood, and then something went wrong before an answer was there. The message is for clients. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
}
