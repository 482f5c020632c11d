/** The licence, as the OpenAPI and AsyncAPI documents name it. */
export const license = { name: "Apache 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
