/** Throws at its first use instead of when it is loaded: testcontainers loads it in any case. */
exports.Client = class {
  constructor() {
    throw new Error(
      "Container engines at ssh:// are not supported here: set DOCKER_HOST to a unix:// or tcp:// address."
    )
  }
}
