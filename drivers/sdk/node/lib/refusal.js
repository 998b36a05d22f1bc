// Refusal: thrown by a driver, answered with its code.

export class Refusal extends Error {
  constructor(code, message = "", { reason, definite } = {}) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.reason = reason;
    this.definite = definite;
  }
}

export function refuse(code, message, options) {
  throw new Refusal(code, message, options);
}
